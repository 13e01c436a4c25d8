package dev.weir.example.saas;

import dev.weir.StoreException;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Weir;
import dev.weir.engine.http.StatusText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints of members besides completions. They have no code for limits, which apply by path. */
@RestController
class MemberController {
    private final Weir weir;
    private final Members members;
    private final Caller caller;

    MemberController(Weir weir, Members members, Caller caller) {
        this.weir = weir;
        this.members = members;
        this.caller = caller;
    }

    /** The body of a login request. */
    record Login(String name) {}

    @PostMapping("/api/auth/login")
    ResponseEntity<Map<String, String>> login(@RequestBody Login login) {
        return members.byName(login.name())
                .map(member -> ResponseEntity.ok(Map.of("token", member.token(), "plan", member.plan())))
                .orElseGet(() -> ResponseEntity.status(403).body(Map.of("error", "there is no such member")));
    }

    @PostMapping("/api/webhooks/payments")
    ResponseEntity<Void> payment() {
        return ResponseEntity.noContent().build();
    }

    @GetMapping("/api/profile")
    Map<String, String> profile(HttpServletRequest request) {
        Members.Member member = caller.member(request);
        return Map.of("name", member.name(), "plan", member.plan());
    }

    @PostMapping("/api/sessions")
    Map<String, Boolean> openSession() {
        return Map.of("open", true);
    }

    @PostMapping("/api/conversations/{id}/messages")
    Map<String, String> say(@PathVariable String id, @RequestBody String text) {
        return Map.of("conversation", id, "heard", text);
    }

    @GetMapping("/api/export")
    ResponseEntity<String> export() {
        return ResponseEntity.ok()
                .contentType(MediaType.parseMediaType("text/csv"))
                .body("id,text\n1,hello\n");
    }

    /** Returns the state of the caller's limits. The call itself costs one request, and nothing else. */
    @GetMapping(value = "/api/rate-limits", produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> rateLimits(HttpServletRequest request) {
        Members.Member member = caller.member(request);
        try {
            List<LimitResult> status = weir.status(Map.of("user", member.name(), "plan", member.plan()));
            return ResponseEntity.ok(StatusText.document(member.plan(), status, System.currentTimeMillis())
                    .bytes());
        } catch (StoreException e) {
            return ResponseEntity.status(503).build();
        }
    }
}
