package dev.weir.binding.servlet;

import dev.weir.engine.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** What becomes of a request: it goes on, is refused, is answered as before, or is not even asked about. */
@FunctionalInterface
interface Verdict {
    void act(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException;

    static Verdict reject(Problem problem) {
        return (request, response, chain) -> Answering.reject(problem, response);
    }
}
