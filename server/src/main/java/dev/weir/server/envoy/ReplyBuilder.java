package dev.weir.server.envoy;

import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import dev.weir.server.envoy.RateLimitReply.Header;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the statuses of a request's descriptors, in their order, and makes the reply of them. For one thread. */
final class ReplyBuilder {
    private static final long MILLIS = 1_000;

    private final ReplyOptions options;
    private final List<DescriptorStatus> statuses = new ArrayList<>();
    private boolean isRefused;
    private int quotas;
    private int exceededQuotas;
    /** The status that the headers are about: one that refuses, else the one with the least left. */
    private @Nullable DescriptorStatus tightest;

    private long leastLeft = Long.MAX_VALUE;

    ReplyBuilder(ReplyOptions options) {
        this.options = options;
    }

    /** Adds a status that refuses the request unless it is OK. */
    void add(DescriptorStatus status) {
        statuses.add(status);
        keepTightest(status);
        if (!status.allowed()) {
            isRefused = true;
            tightest = status.limit() == null ? tightest : status;
            leastLeft = 0;
        }
    }

    /** Adds the status of a quota, which refuses the request only together with all other quotas. */
    void addQuota(DescriptorStatus status) {
        statuses.add(status);
        keepTightest(status);
        quotas++;
        exceededQuotas += status.allowed() ? 0 : 1;
    }

    private void keepTightest(DescriptorStatus status) {
        if (status.limit() != null && status.remaining() < leastLeft) {
            tightest = status;
            leastLeft = status.remaining();
        }
    }

    RateLimitReply build() {
        return new RateLimitReply(options.shadow() || !isOverLimit(), statuses, headers());
    }

    /** Whether the request is over its limits, also if {@link ReplyOptions#shadow} makes the reply OK. */
    boolean isOverLimit() {
        return isRefused || (quotas > 0 && quotas == exceededQuotas);
    }

    private List<Header> headers() {
        ReplyOptions.HeaderNames names = options.headers();
        DescriptorStatus status = tightest;
        CurrentLimit limit = status == null ? null : status.limit();
        if (names == null || status == null || limit == null) {
            return List.of();
        }
        return List.of(
                new Header(names.limit(), Long.toString(limit.requestsPerUnit())),
                new Header(names.remaining(), Long.toString(status.remaining())),
                new Header(names.reset(), Long.toString(Math.floorDiv(status.resetMillis() + MILLIS - 1, MILLIS))));
    }
}
