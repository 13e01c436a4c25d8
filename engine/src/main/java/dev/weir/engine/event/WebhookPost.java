package dev.weir.engine.event;

import dev.weir.engine.address.PublicAddresses;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One POST request to a checked address.
 *
 * <p>The name is looked up once, each of its addresses is checked, and the connection is made to the address that was
 * checked. TLS still verifies the name. So a name server that returns first a public and then a private address gains
 * nothing. That is why this is a plain socket and not {@code java.net.http}, which looks up names itself and does not
 * report the addresses. It needs little of HTTP: one request, the first line of the response, then the connection is
 * closed. Redirects are therefore never followed.
 */
final class WebhookPost {
    private static final int MAX_STATUS_LINE = 1_024;

    private final SSLSocketFactory tls;
    private final Resolver resolver;
    private final boolean allowPrivate;
    private final ScheduledExecutorService alarms;

    WebhookPost(SSLSocketFactory tls, Resolver resolver, boolean allowPrivate, ScheduledExecutorService alarms) {
        this.tls = tls;
        this.resolver = resolver;
        this.allowPrivate = allowPrivate;
        this.alarms = alarms;
    }

    /**
     * Sends the request and returns the status of the response.
     *
     * @throws ForbiddenAddressException if the name has an address that may not be called; nothing was sent
     * @throws IOException if there was no response in time
     */
    int send(WebhookTarget target, Map<String, String> headers, byte[] body, Duration timeout) throws IOException {
        InetAddress address = checkedAddress(target);
        try (Socket socket = new Socket()) {
            // A read timeout would not do: a server that sends a byte now and then would never reach it.
            ScheduledFuture<?> alarm =
                    alarms.schedule(() -> closeQuietly(socket), timeout.toMillis(), TimeUnit.MILLISECONDS);
            try {
                socket.setTcpNoDelay(true);
                socket.connect(
                        new InetSocketAddress(address, target.port()), (int) Math.min(60_000, timeout.toMillis()));
                return exchange(target.tls() ? secured(socket, target) : socket, target, headers, body);
            } finally {
                alarm.cancel(false);
            }
        }
    }

    private InetAddress checkedAddress(WebhookTarget target) throws IOException {
        InetAddress[] addresses = resolver.lookup(target.host());
        for (InetAddress address : addresses) {
            if (!allowPrivate && !PublicAddresses.contain(address)) {
                throw new ForbiddenAddressException(target);
            }
        }
        return addresses[0];
    }

    private Socket secured(Socket socket, WebhookTarget target) throws IOException {
        SSLSocket secured = (SSLSocket) tls.createSocket(socket, target.host(), target.port(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    private static int exchange(Socket socket, WebhookTarget target, Map<String, String> headers, byte[] body)
            throws IOException {
        StringBuilder head = new StringBuilder(512);
        head.append("POST ").append(target.path()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(target.authority()).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(body.length).append("\r\nConnection: close\r\n\r\n");
        OutputStream out = socket.getOutputStream();
        byte[] ascii = head.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] message = new byte[ascii.length + body.length];
        System.arraycopy(ascii, 0, message, 0, ascii.length);
        System.arraycopy(body, 0, message, ascii.length, body.length);
        out.write(message);
        out.flush();
        return status(socket.getInputStream());
    }

    private static int status(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.length() == MAX_STATUS_LINE) {
                throw new IOException("the answer is not HTTP");
            }
            line.append((char) c);
        }
        boolean http = line.length() >= 12 && line.indexOf("HTTP/1.") == 0 && line.charAt(8) == ' ';
        String code = http ? line.substring(9, 12) : "";
        if (!code.matches("[1-5][0-9][0-9]")) {
            throw new IOException("the answer is not HTTP");
        }
        return Integer.parseInt(code);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed all the same.
        }
    }

    /** Looks up names. */
    interface Resolver {
        InetAddress[] lookup(String host) throws IOException;
    }

    /** The name has an address that webhooks must not call. A retry does not help. */
    static final class ForbiddenAddressException extends IOException {
        private static final long serialVersionUID = 1L;

        ForbiddenAddressException(WebhookTarget target) {
            super(target + " has an address that is not public; allow private addresses if that is meant");
        }
    }
}
