package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A real WebSocket client that records the frames it receives. */
final class TestAgent implements WebSocket.Listener {
    /** The close code when there is no close frame. */
    static final int CUT_OFF = 1006;

    private static final int FRAME_TIMEOUT_SECONDS = 90;

    private final BlockingQueue<JsonObject> heard = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private WebSocket socket;

    static TestAgent connect(HttpClient client, int port) {
        TestAgent agent = new TestAgent();
        agent.socket = client.newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/ws"), agent)
                .join();
        return agent;
    }

    void identify(String token) {
        JsonObject answer = ask(new JsonObject().put("type", "identify").put("token", token));
        if (!answer.getString("type").equals("identified")) {
            throw new AssertionError(answer);
        }
    }

    /** Sends a frame of a type with fields, given as alternating names and values. Returns the next frame received. */
    JsonObject ask(String type, String... fields) {
        return ask(frame(type, fields));
    }

    JsonObject ask(JsonObject frame) {
        return askText(frame.encode());
    }

    /** Sends any text and returns the next frame. */
    JsonObject askText(String text) {
        say(text);
        return next();
    }

    void say(String text) {
        socket.sendText(text, true).join();
    }

    /** Returns how many of this many equal frames are admitted. Each has one reply, besides warnings. */
    int admitted(int times, String type, String... fields) {
        int admitted = 0;
        for (int i = 0; i < times; i++) {
            admitted += answerTo(type, fields).getString("type").equals("rate_limited") ? 0 : 1;
        }
        return admitted;
    }

    /** Returns the reply to a frame, skipping a warning. */
    JsonObject answerTo(String type, String... fields) {
        JsonObject answer = ask(type, fields);
        return answer.getString("type").equals("rate_limit_warning") ? next() : answer;
    }

    JsonObject next() {
        try {
            JsonObject frame = heard.poll(FRAME_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (frame == null) {
                throw new AssertionError("no frame came; closed with " + closed);
            }
            return frame;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the next frame of a type, skipping others. */
    JsonObject next(String type) {
        JsonObject frame = next();
        while (!frame.getString("type").equals(type)) {
            frame = next();
        }
        return frame;
    }

    boolean hasHeardMore() {
        return !heard.isEmpty();
    }

    boolean isOpen() {
        return closed.isEmpty();
    }

    int closeCode() {
        try {
            Integer code = closed.poll(FRAME_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (code == null) {
                throw new AssertionError("it was not closed");
            }
            return code;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void leave() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    }

    void abort() {
        socket.abort();
    }

    WebSocket socket() {
        return socket;
    }

    static JsonObject frame(String type, String... fields) {
        JsonObject frame = new JsonObject().put("type", type);
        for (int i = 0; i < fields.length; i += 2) {
            frame.put(fields[i], fields[i + 1]);
        }
        return frame;
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        part.append(data);
        if (last) {
            heard.add(new JsonObject(part.toString()));
            part.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.add(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.add(CUT_OFF);
    }
}
