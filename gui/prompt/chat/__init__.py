"""Page Chat: a request with messages, tools and images, counted with the framing of its template."""
