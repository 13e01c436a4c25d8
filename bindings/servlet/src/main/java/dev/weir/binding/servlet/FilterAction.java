package dev.weir.binding.servlet;

import dev.weir.engine.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** The action for a decided request: continue, refuse, replay a stored response, or reject without a decision. */
@FunctionalInterface
interface FilterAction {
    void act(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException;

    static FilterAction reject(Problem problem) {
        return (request, response, chain) -> FilterResponses.reject(problem, response);
    }
}
