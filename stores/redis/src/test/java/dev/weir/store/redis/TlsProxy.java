package dev.weir.store.redis;

import dev.weir.fixture.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A TLS proxy for a Redis that was built without TLS. Its certificate is self-signed. */
final class TlsProxy implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    private final Path directory;
    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** @param names whom the certificate is for, as keytool writes it: {@code dns:localhost,ip:127.0.0.1} */
    TlsProxy(RedisProcess redis, String names) {
        this.target = redis.port();
        try {
            this.directory = Files.createTempDirectory("weir-tls");
            Path keys = directory.resolve("keys.p12");
            keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=test", "-ext", "san=" + names, "-keystore", keys);
            keytool("-exportcert", "-rfc", "-file", authority(), "-keystore", keys);
            this.listening =
                    context(keys).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The certificate of its authority, in PEM. */
    Path authority() {
        return directory.resolve("authority.pem");
    }

    private void accept() throws IOException {
        while (true) {
            Socket outer = listening.accept();
            Socket inner = new Socket(InetAddress.getLoopbackAddress(), target);
            open.addAll(List.of(outer, inner));
            start(() -> pass(outer, inner));
            start(() -> pass(inner, outer));
        }
    }

    private static void pass(Socket from, Socket to) throws IOException {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // An end of the connection, whoever wished it.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static SSLContext context(Path keys) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray());
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static void keytool(Object... arguments) throws IOException {
        List<String> command = new java.util.ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        List.of(arguments).forEach(argument -> command.add(argument.toString()));
        command.addAll(List.of("-alias", "redis", "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException("keytool: " + said);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : open) {
                socket.close();
            }
            for (String file : List.of("keys.p12", "authority.pem", "")) {
                Files.deleteIfExists(directory.resolve(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
