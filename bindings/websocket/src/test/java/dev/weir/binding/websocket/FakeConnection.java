package dev.weir.binding.websocket;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A connection that records its calls. */
final class FakeConnection implements Connection {
    final List<String> sent = Collections.synchronizedList(new ArrayList<>());
    final Map<String, String> attributes = new ConcurrentHashMap<>(Map.of("user", "ann"));
    volatile String closed;
    volatile boolean isPaused;

    @Override
    public String id() {
        return "c1";
    }

    @Override
    public String ip() {
        return "192.0.2.1";
    }

    @Override
    public Map<String, String> attributes() {
        return attributes;
    }

    @Override
    public boolean isOpen() {
        return closed == null;
    }

    @Override
    public void send(String text) {
        sent.add(text);
    }

    @Override
    public void close(int code, String reason) {
        closed = code + " " + reason;
    }

    @Override
    public void pause() {
        isPaused = true;
    }

    @Override
    public void resume() {
        isPaused = false;
    }
}
