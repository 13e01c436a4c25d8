package dev.weir.engine.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredResponseTest {
    @Test
    void aResponse_comesBackAsItWas() {
        StoredResponse response = new StoredResponse(
                201,
                true,
                "text/plain;charset=UTF-8",
                List.of(new StoredResponse.Header("X-A", "ä"), new StoredResponse.Header("X-A", "")),
                "body".getBytes(StandardCharsets.UTF_8));
        StoredResponse back = StoredResponse.of(response.toBytes());
        assertThat(back.status()).isEqualTo(201);
        assertThat(back.isError()).isTrue();
        assertThat(back.contentType()).isEqualTo(response.contentType());
        assertThat(back.headers()).isEqualTo(response.headers());
        assertThat(back.body()).isEqualTo(response.body());
        assertThat(StoredResponse.of(StoredResponse.withheld().toBytes()).isWithheld())
                .isTrue();
    }

    @Test
    void bytesThatAreNone_areRefused() {
        byte[] bytes = new StoredResponse(200, false, null, List.of(), new byte[10]).toBytes();
        assertThatIllegalArgumentException().isThrownBy(() -> StoredResponse.of(new byte[0]));
        assertThatIllegalArgumentException().isThrownBy(() -> StoredResponse.of(new byte[] {9, 0, 0}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredResponse.of(Arrays.copyOf(bytes, bytes.length - 1)));
    }
}
