package com.example;

import dev.weir.spring.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Hello {
    public static void main(String[] args) {
        SpringApplication.run(Hello.class, args);
    }

    @GetMapping("/hello")
    public String hello() {
        return "Hello";
    }

    @RateLimited(value = "greetings", key = "#name")
    @GetMapping("/hello/{name}")
    public String hello(@PathVariable("name") String name) {
        return "Hello, " + name;
    }
}
