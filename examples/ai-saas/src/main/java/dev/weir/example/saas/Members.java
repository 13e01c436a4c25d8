package dev.weir.example.saas;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** The members and their plans. A real service would use its database, and issue better tokens. */
@Component
class Members {
    private static final String TOKEN = "token-of-";

    private final Map<String, Member> byToken =
            List.of(new Member("fay", "free"), new Member("mona", "monthly"), new Member("anna", "annual")).stream()
                    .collect(Collectors.toUnmodifiableMap(Member::token, Function.identity()));

    /** One member. */
    record Member(String name, String plan) {
        String token() {
            return TOKEN + name;
        }
    }

    Optional<Member> byToken(String token) {
        return Optional.ofNullable(byToken.get(token));
    }

    /** Returns the member of an {@code Authorization: Bearer …} header. */
    Optional<Member> byAuthorization(String header) {
        return header.startsWith("Bearer ") ? byToken(header.substring("Bearer ".length())) : Optional.empty();
    }

    Optional<Member> byName(String name) {
        return byToken(TOKEN + name);
    }
}
