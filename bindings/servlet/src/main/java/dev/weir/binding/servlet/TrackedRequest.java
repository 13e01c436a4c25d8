package dev.weir.binding.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/** A request that reports the start and the end of its asynchronous processing. */
final class TrackedRequest extends HttpServletRequestWrapper {
    private final FilteredRequest filteredRequest;
    private final @Nullable CapturedResponse captured;

    TrackedRequest(HttpServletRequest request, FilteredRequest filteredRequest, @Nullable CapturedResponse captured) {
        super(request);
        this.filteredRequest = filteredRequest;
        this.captured = captured;
    }

    @Override
    public AsyncContext startAsync() {
        // Without arguments, the context would use the container's own response, which is not captured.
        return captured == null ? tracked(super.startAsync()) : tracked(super.startAsync(this, captured));
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return tracked(super.startAsync(request, response));
    }

    @Override
    public AsyncContext getAsyncContext() {
        AsyncContext real = super.getAsyncContext();
        return captured == null ? real : new CapturedAsync(real, captured);
    }

    private AsyncContext tracked(AsyncContext real) {
        filteredRequest.wentAsync(real);
        return captured == null ? real : new CapturedAsync(real, captured);
    }
}
