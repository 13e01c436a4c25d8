package dev.weir.binding.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;

/** Wraps the container's asynchronous context. Stores the response before the context completes. */
final class CapturedAsync implements AsyncContext {
    private final AsyncContext real;
    private final CapturedResponse captured;

    CapturedAsync(AsyncContext real, CapturedResponse captured) {
        this.real = real;
        this.captured = captured;
    }

    @Override
    public void complete() {
        captured.finish();
        real.complete();
    }

    @Override
    public ServletRequest getRequest() {
        return real.getRequest();
    }

    @Override
    public ServletResponse getResponse() {
        return real.getResponse();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return real.hasOriginalRequestAndResponse();
    }

    @Override
    public void dispatch() {
        real.dispatch();
    }

    @Override
    public void dispatch(String path) {
        real.dispatch(path);
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        real.dispatch(context, path);
    }

    @Override
    public void start(Runnable run) {
        real.start(run);
    }

    @Override
    public void addListener(AsyncListener listener) {
        real.addListener(listener);
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        real.addListener(listener, request, response);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return real.createListener(type);
    }

    @Override
    public void setTimeout(long timeout) {
        real.setTimeout(timeout);
    }

    @Override
    public long getTimeout() {
        return real.getTimeout();
    }
}
