package dev.weir.store.raft;

import java.io.FilterInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * What comes on a connection: at first all of it within one time, however many bytes it comes in; then with no longer
 * silence than so long.
 */
final class PromptInput extends FilterInputStream {
    private final Socket socket;
    private final long deadline;
    private boolean isHandshakeOver;

    PromptInput(Socket socket, int handshakeMillis) throws IOException {
        super(socket.getInputStream());
        this.socket = socket;
        this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(handshakeMillis);
    }

    void endHandshake(int silenceMillis) throws IOException {
        isHandshakeOver = true;
        socket.setSoTimeout(silenceMillis);
    }

    @Override
    public int read() throws IOException {
        hurry();
        return in.read();
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        hurry();
        return in.read(bytes, from, length);
    }

    private void hurry() throws IOException {
        if (!isHandshakeOver) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new SocketTimeoutException("the handshake takes too long");
            }
            socket.setSoTimeout((int) left);
        }
    }
}
