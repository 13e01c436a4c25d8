package dev.weir.server.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameCopierTest {
    @Test
    void frames_leaveThePoolsMemory() {
        EmbeddedChannel channel = new EmbeddedChannel(new FrameCopier());
        for (String text : List.of("", "{\"attributes\":{}}")) {
            ByteBuf first = pooled(text);
            ByteBuf rest = pooled(text);
            channel.writeInbound(
                    new TextWebSocketFrame(false, 0, first), new ContinuationWebSocketFrame(true, 0, rest));

            assertThat(first.refCnt()).isZero();
            assertThat(rest.refCnt()).isZero();
            assertIsOwn(channel.readInbound(), TextWebSocketFrame.class, false, text);
            assertIsOwn(channel.readInbound(), ContinuationWebSocketFrame.class, true, text);
        }
        assertThat(channel.finish()).isFalse();
    }

    private static ByteBuf pooled(String text) {
        ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(64);
        bytes.writeCharSequence(text, StandardCharsets.UTF_8);
        return bytes;
    }

    private static void assertIsOwn(WebSocketFrame frame, Class<?> type, boolean isLast, String text) {
        assertThat(frame).isExactlyInstanceOf(type);
        assertThat(frame.isFinalFragment()).isEqualTo(isLast);
        assertThat(frame.content().alloc()).isNotInstanceOf(PooledByteBufAllocator.class);
        assertThat(new String(ByteBufUtil.getBytes(frame.content()), StandardCharsets.UTF_8))
                .isEqualTo(text);
    }
}
