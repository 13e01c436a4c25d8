package dev.weir.example.chat;

import dev.weir.binding.websocket.Connection;
import dev.weir.binding.websocket.Message;
import dev.weir.binding.websocket.MessageHandler;
import dev.weir.engine.http.JsonFields;
import dev.weir.engine.json.Json;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of the chat: {@code Ping}; {@code Join} a room; {@code Say} a text in it; {@code ComputePrimes}
 * up to a number, which takes a while.
 */
final class ChatProtocol implements MessageHandler {
    private static final JsonFields PAYLOAD = JsonFields.at("/payload/room", "/payload/text", "/payload/upTo");
    private static final int ROOM = 0;
    private static final int TEXT = 1;
    private static final int UP_TO = 2;

    private final Rooms rooms;

    ChatProtocol(Rooms rooms) {
        this.rooms = rooms;
    }

    /** Returns the fault of a message; null if it is valid. Called only for messages that the limits admitted. */
    static @Nullable String faultOf(Message message) {
        @Nullable String[] payload = payload(message);
        return switch (message.type()) {
            case "Ping" -> null;
            case "Join" -> isText(payload[ROOM], 100) ? null : "payload.room must have 1 to 100 characters";
            case "Say" -> isText(payload[TEXT], 2000) ? null : "payload.text must have 1 to 2000 characters";
            case "ComputePrimes" -> isNumber(payload[UP_TO]) ? null : "payload.upTo must be a number from 1 to 999999";
            default -> "there is no '" + message.type() + "'; there are Ping, Join, Say, ComputePrimes";
        };
    }

    @Override
    public @Nullable CompletionStage<?> handle(Message message, Connection connection) {
        @Nullable String[] payload = payload(message);
        switch (message.type()) {
            case "Join" -> {
                rooms.join(connection, String.valueOf(payload[ROOM]));
                connection.send(answer("Joined", message).close('}').toString());
            }
            case "Say" -> say(connection, String.valueOf(payload[TEXT]));
            case "ComputePrimes" -> {
                int upTo = Integer.parseInt(String.valueOf(payload[UP_TO]));
                return CompletableFuture.supplyAsync(() -> primes(upTo))
                        .thenAccept(count -> connection.send(answer("Primes", message)
                                .field("count", count)
                                .close('}')
                                .toString()));
            }
            default -> connection.send(answer("Pong", message).close('}').toString());
        }
        return null;
    }

    @Override
    public void closed(Connection connection) {
        rooms.leave(connection);
    }

    private void say(Connection connection, String text) {
        String user = connection.attributes().getOrDefault("user", "somebody");
        rooms.tell(
                connection,
                Json.newObject(200)
                        .field("type", "Said")
                        .field("by", user)
                        .field("text", text)
                        .close('}')
                        .toString());
    }

    private static Json answer(String type, Message message) {
        Json json = Json.newObject(100).field("type", type);
        return message.id() == null ? json : json.field("id", message.id());
    }

    private static int primes(int upTo) {
        boolean[] isComposite = new boolean[upTo + 1];
        int count = 0;
        for (int i = 2; i <= upTo; i++) {
            if (!isComposite[i]) {
                count++;
                for (long multiple = (long) i * i; multiple <= upTo; multiple += i) {
                    isComposite[(int) multiple] = true;
                }
            }
        }
        return count;
    }

    private static @Nullable String[] payload(Message message) {
        try {
            return PAYLOAD.read(message.text());
        } catch (IOException e) {
            throw new IllegalStateException("it has been read before", e);
        }
    }

    private static boolean isNumber(@Nullable String text) {
        return text != null && text.matches("[1-9]\\d{0,5}");
    }

    private static boolean isText(@Nullable String text, int longest) {
        return text != null && !text.isEmpty() && text.length() <= longest;
    }
}
