package dev.weir.binding.servlet;

import dev.weir.engine.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** The action for a decided request: continue, refuse, replay a stored response, or reject without a decision. */
@FunctionalInterface
interface Verdict {
    void act(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException;

    static Verdict reject(Problem problem) {
        return (request, response, chain) -> Answering.reject(problem, response);
    }
}
