package dev.weir.store.consensus;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and key of a node, and the certificates that it trusts, from PEM or PKCS#12 files.
 *
 * <p>The files are checked at most once a second and loaded again after a change. If that fails, the former ones stay in
 * use and the failure is logged. Safe for use by several threads.
 */
public final class TlsFiles {
    private static final Logger LOG = System.getLogger(TlsFiles.class.getName());
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The password of a key store that is never written. */
    private static final char[] IN_MEMORY = {'-'};

    private final Path certificate;
    private final @Nullable Path key;
    private final Path authority;
    private final char[] password;
    /** Not a monitor: files are read under it, and that would pin a virtual thread. */
    private final ReentrantLock lock = new ReentrantLock();

    private Loaded loaded;
    private String seen;
    private long checkedAt = System.nanoTime();

    /**
     * A context that was made from one version of the files.
     *
     * @param version counts how often the files were loaded
     */
    record Loaded(SSLContext context, int version) {}

    /**
     * Loads the files.
     *
     * @param certificate the chain of this node's certificate in PEM, or a PKCS#12 file with it and its key
     * @param key its key in PEM (PKCS#8, not encrypted); null if the certificate's file has it
     * @param authority the certificates that sign those of the nodes: PEM, or PKCS#12 with the same password
     * @param password of PKCS#12 files
     * @throws IllegalArgumentException if a file cannot be used; the message names the option
     */
    public TlsFiles(Path certificate, @Nullable Path key, Path authority, @Nullable String password) {
        this.certificate = certificate;
        this.key = key;
        this.authority = authority;
        this.password = password == null ? new char[0] : password.toCharArray();
        this.seen = stamp();
        try {
            this.loaded = new Loaded(load(), 1);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException(failure(e), e);
        }
    }

    private String failure(Exception e) {
        return "the files of tls-cert, tls-key and tls-ca (" + certificate + ", " + key + ", " + authority
                + ") cannot be used: " + e
                + "; they must be PEM files, with the key in PKCS#8 and not encrypted, or PKCS#12 files with tls-password";
    }

    Loaded current() {
        lock.lock();
        try {
            return loadedNow();
        } finally {
            lock.unlock();
        }
    }

    private Loaded loadedNow() {
        long now = System.nanoTime();
        if (now - checkedAt > CHECK_NANOS) {
            checkedAt = now;
            String stamp = stamp();
            if (!stamp.equals(seen)) {
                seen = stamp;
                try {
                    loaded = new Loaded(load(), loaded.version + 1);
                    LOG.log(Level.INFO, "loaded the cluster's certificates again");
                } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
                    LOG.log(Level.ERROR, "{0}; the former ones stay in use", failure(e));
                }
            }
        }
        return loaded;
    }

    private String stamp() {
        return stamp(certificate) + stamp(key) + stamp(authority);
    }

    private static String stamp(@Nullable Path file) {
        try {
            return file == null ? "-" : Files.getLastModifiedTime(file) + "/" + Files.size(file) + ";";
        } catch (IOException e) {
            return "missing;";
        }
    }

    private SSLContext load() throws IOException, GeneralSecurityException {
        KeyStore own = isPkcs12(certificate) ? pkcs12(certificate) : pemKey();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, isPkcs12(certificate) ? password : IN_MEMORY);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(isPkcs12(authority) ? pkcs12(authority) : pemAuthority());
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static boolean isPkcs12(Path file) {
        return file.toString().endsWith(".p12") || file.toString().endsWith(".pfx");
    }

    private KeyStore pkcs12(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        }
        return store;
    }

    private KeyStore pemKey() throws IOException, GeneralSecurityException {
        Certificate[] chain = certificates(certificate);
        KeyStore store = empty();
        store.setKeyEntry("node", privateKey(Objects.requireNonNullElse(key, certificate)), IN_MEMORY, chain);
        return store;
    }

    private KeyStore pemAuthority() throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        for (Certificate trusted : certificates(authority)) {
            store.setCertificateEntry("ca" + store.size(), trusted);
        }
        return store;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Certificate[] certificates(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            Certificate[] all = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
            if (all.length == 0) {
                throw new GeneralSecurityException("no certificate in " + file);
            }
            return all;
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        String pem = Files.readString(file, StandardCharsets.US_ASCII);
        int begin = pem.indexOf("-----BEGIN PRIVATE KEY-----");
        int end = pem.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin) {
            throw new GeneralSecurityException("no PRIVATE KEY in " + file);
        }
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(
                Base64.getMimeDecoder().decode(pem.substring(begin + "-----BEGIN PRIVATE KEY-----".length(), end)));
        GeneralSecurityException last = null;
        for (String algorithm : new String[] {"EC", "RSA", "EdDSA"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new GeneralSecurityException("an unknown kind of key in " + file, last);
    }
}
