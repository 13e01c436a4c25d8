package dev.weir.store.durableobjects;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A private certificate authority, used instead of the ones that Java trusts. */
final class CertificateAuthority {
    private CertificateAuthority() {}

    /**
     * Creates a TLS context that trusts only the certificates in a file.
     *
     * @param file certificates in PEM
     * @throws IllegalArgumentException if the file cannot be read or has no certificate
     */
    static SSLContext trusting(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IllegalArgumentException("ca names a file without a certificate; it must be one in PEM");
            }
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry("authority" + trusted.size(), certificate);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new IllegalArgumentException("ca names a file that cannot be read: " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("ca names a file that is not a PEM certificate: " + file, e);
        }
    }
}
