package dev.weir.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A Lua script and its digest.
 *
 * @param digest SHA-1 in hexadecimal, the argument of EVALSHA
 */
// Never compared: the only instances are the constants.
@SuppressWarnings("ArrayRecordComponent")
record Script(byte[] text, String digest) {
    /** The decision script, concatenated from its files. */
    static final Script DECIDE = of(
            "call.lua",
            "policy.lua",
            "bucket.lua",
            "consume_fast.lua",
            "tools.lua",
            "window.lua",
            "sliding.lua",
            "slots.lua",
            "budget.lua",
            "decide.lua",
            "holds.lua",
            "answer.lua");

    /** The script that changes the settings. */
    static final Script SETTINGS = of("settings.lua");

    private static Script of(String... files) {
        StringBuilder text = new StringBuilder();
        for (String file : List.of(files)) {
            text.append(read(file));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        return new Script(bytes, sha1(bytes));
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the script " + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }
}
