package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** The running server agrees with its OpenAPI description. */
@Tag("io")
class OpenApiTest {
    /** Their responses do not end. */
    private static final Set<String> STREAMS = Set.of("/v1/events", "/v1/tail");

    private static final String BODY = "{\"attributes\":{\"user\":\"%s\",\"tokens\":5}}";
    private static TestServer server;
    private static JsonNode document;

    @BeforeAll
    static void start() {
        server = TestServer.preset("ai-saas");
        Object yaml = new Load(
                        LoadSettings.builder().setSchema(new CoreSchema()).build())
                .loadFromString(server.get("/openapi.yaml").body());
        document = TestServer.JSON.valueToTree(yaml);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyPathAndMethod_isServed_andAnswersAsDescribed() {
        List<String> asked = new ArrayList<>();
        document.get("paths")
                .fields()
                .forEachRemaining(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (!method.equals("parameters") && !STREAMS.contains(path.getKey())) {
                        asked.add(method + " " + path.getKey());
                        ask(method, path.getKey());
                    }
                }));
        assertThat(asked).hasSizeGreaterThan(25);
    }

    @Test
    void everyDecision_fitsItsSchema() {
        conforms("post", "/v1/check", server.check("{}"));
        conforms("post", "/v1/check", server.check("{\"user\":\"s\",\"ip\":\"203.0.113.9\",\"path\":\"/api/export\"}"));
        conforms("post", "/v1/check", server.check("{\"user\":\"s\",\"tokens\":10001}"));
        conforms("post", "/v1/check", server.post("/v1/check", "{"));
        conforms("post", "/v1/peek", server.post("/v1/peek", BODY.formatted("p")));
        HttpResponse<String> reserved = server.post("/v1/reservations", BODY.formatted("r"));
        conforms("post", "/v1/reservations", reserved);
        String reservation =
                "/v1/reservations/" + TestServer.json(reserved).get("id").asText();
        conforms("put", "/v1/reservations/{id}", server.send("PUT", reservation, "{\"ttl\":\"9m\"}"));
        conforms("put", "/v1/reservations/{id}", server.send("PUT", reservation, "{\"ttl\":\"soon\"}"));
        String settle = reservation + "/settle";
        conforms("post", "/v1/reservations/{id}/settle", server.post(settle, "{\"costs\":{\"ai_tokens\":1}}"));
        conforms("post", "/v1/reservations/{id}/settle", server.post(settle, "{\"costs\":{}}"));
        conforms("post", "/v1/leases", server.post("/v1/leases", BODY.formatted("l")));
        conforms("post", "/v1/leases", server.post("/v1/leases", BODY.formatted("l")));
        conforms("get", "/api/rate-limits", server.get("/api/rate-limits?user=s"));
        conforms("get", "/v1/subjects/{attribute}/{value}", server.get("/v1/subjects/user/s"));
    }

    /** The requirements of redocly's recommended rules and of client generators. */
    @Test
    void everyOperation_hasAnIdOfItsOwn_securityAndAClientError_andServersAreNamed() {
        Set<String> ids = new HashSet<>();
        assertThat(document.path("servers")).isNotEmpty();
        document.get("paths")
                .fields()
                .forEachRemaining(path -> path.getValue().fields().forEachRemaining(entry -> {
                    if (entry.getKey().equals("parameters")) {
                        return;
                    }
                    String what = entry.getKey() + " " + path.getKey();
                    JsonNode operation = entry.getValue();
                    assertThat(ids.add(operation.path("operationId").asText("")))
                            .as(what)
                            .isTrue();
                    assertThat(operation.has("security") || document.has("security"))
                            .as(what)
                            .isTrue();
                    operation
                            .path("security")
                            .forEach(choice -> choice.fieldNames()
                                    .forEachRemaining(scheme -> assertThat(document.at("/components/securitySchemes"))
                                            .as(what)
                                            .anyMatch(known -> document.at("/components/securitySchemes/" + scheme)
                                                    .equals(known))));
                    List<String> statuses = new ArrayList<>();
                    operation.get("responses").fieldNames().forEachRemaining(statuses::add);
                    assertThat(statuses).as(what).anyMatch(status -> status.startsWith("4"));
                }));
        assertThat(ids).doesNotContain("").hasSizeGreaterThan(25);
    }

    private static void ask(String method, String path) {
        String real = path.replace("{id}", "x")
                .replace("{version}", "x")
                .replace("{limit}", "general")
                .replace("{subject}", "agent=x")
                .replace("{attribute}", "user")
                .replace("{member}", "127.0.0.1:7800")
                .replace("{value}", "u1");
        String body = switch (path) {
            case "/api/admin/rate-limits/defaults", "/api/admin/rate-limits/{subject}" ->
                "{\"limits\":{\"general\":{\"free\":\"60/min\"}}}";
            case "/api/admin/rate-limits/whitelist" -> method.equals("put") ? "{\"agents\":[]}" : "{\"agent\":\"x\"}";
            case "/api/admin/rate-limits/reset" -> "{\"attributes\":{\"user\":\"u1\"}}";
            case "/v1/reservations/{id}/settle" -> "{\"costs\":{}}";
            case "/api/admin/cluster/members", "/api/admin/cluster/transfer" -> "{\"member\":\"127.0.0.1:7800\"}";
            case "/v1/reservations/{id}", "/v1/leases/{id}" -> "{\"ttl\":\"5m\"}";
            case "/json" -> "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"u1\"}]}]}";
            default -> BODY.formatted("u1");
        };
        boolean hasBody = !method.equals("get") && !method.equals("delete");
        HttpResponse<String> response =
                server.admin(method.toUpperCase(java.util.Locale.ROOT), real, hasBody ? body : null);
        conforms(method, path, response);
    }

    private static void conforms(String method, String path, HttpResponse<String> response) {
        String what = method + " " + path + " " + response.statusCode() + " " + response.body();
        JsonNode described = resolve(document.get("paths").get(path).get(method).get("responses"))
                .get(Integer.toString(response.statusCode()));
        assertThat(described).as(what).isNotNull();
        JsonNode content = resolve(described).get("content");
        if (content == null) {
            return;
        }
        String type = response.headers().firstValue("Content-Type").orElse("").replaceFirst(";.*", "");
        assertThat(content.has(type)).as(what + " " + type).isTrue();
        JsonNode schema = content.get(type).get("schema");
        if (schema != null) {
            assertThat(schema(schema).validate(TestServer.json(response)))
                    .as(what)
                    .isEmpty();
        }
    }

    /** The schema together with the document's definitions, so that references resolve. */
    private static JsonSchema schema(JsonNode schema) {
        var whole = TestServer.JSON.createObjectNode();
        whole.putArray("allOf").add(schema);
        whole.set("components", document.get("components"));
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(whole);
    }

    private static JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
    }
}
