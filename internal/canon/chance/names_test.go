package chance

import "testing"

// TestRandom: what is drawn looks so, and what people write does not.
func TestRandom(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"9022bbce-7872-4001-991b-d872b93f257d": true, "01ARZ3NDEKTSV4RRFFQ69G5FAV": true, "0a1b2c3d4e5f60718293": true,
		"kqXbTFzWvQpLmRsYhJdNcGaVe": true, "MTIzZjQ1NmE3ODkwYmNkZWZnaGlqa2w5": true, "xS8_k-Qz03Lw9VbT1nYc": true, "[REDACTED-22b82fae]": true,
		"": false, "order-1234": false, "create-order-one": false, "job-run-for-the-day": false, "OrderCreateRequest2026": false,
		"a sentence with words and 12 digits": false, "1234567890123456": false, "aaaaaaaaaaaaaaaaaaaa": false, "invoice/2026/november/first": false,
	} {
		if got := Random(value); got != want {
			t.Errorf("Random(%q) = %v", value, got)
		}
	}
}

// TestHeaders: what a client draws for each call says nothing about what is asked; who asks does.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"x-amz-client-token": true, "x-amzn-client-token": true, "client-token": true, "idempotence-key": true, "x-idempotence-key": true, "idempotency-key": true,
		"api-sign": true, "ok-access-sign": true, "x-acme-signature": true, "x-design": false, "x-sign-in": false,
		"x-client-id": false, "x-client-key": false, "x-auth-token": false,
	} {
		if got := Headers(name); got != want {
			t.Errorf("Headers(%q) = %v", name, got)
		}
	}
}

// TestNavigation: where a client comes from identifies nobody; what a server may choose by does.
func TestNavigation(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"referer": true, "origin": true, "cache-control": true, "pragma": true, "priority": true, "dnt": true, "save-data": true,
		"from": false, "x-origin": false, "x-forwarded-for": false, "x-requested-with": false, "authorization": false, "cookie": false, "x-company-id": false,
	} {
		if got := Navigation(name); got != want {
			t.Errorf("Navigation(%q) = %v", name, got)
		}
	}
}

// TestTokens: the names under which services take tokens for idempotency, and others like them.
func TestTokens(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"clientToken": true, "ClientToken": true, "clientRequestToken": true, "ClientRequestToken": true, "CreationToken": true, "idempotency_key": true,
		"idempotencyToken": true, "IdempotencyToken": true, "Idempotency-Key": true, "idempotencyKey": true, "CallerReference": true, "client_token": true,
		"ClientIdempotencyToken": true, "idempotency_token": true, "x-idempotency-key": true, "requestToken": true, "amzClientToken": true,
		"x-amz-client-token": true, "X-Amzn-Client-Token": true, "idempotence-key": true, "profileToken": true, "idempotent_id": true, "clientMutationId": true, "MessageDeduplicationId": true,
		"token": false, "nextToken": false, "pageToken": false, "accessToken": false, "sessionId": false, "documentId": false, "client": false, "key": false, "clientId": false,
	} {
		if got := Tokens(name); got != want {
			t.Errorf("Tokens(%q) = %v", name, got)
		}
	}
}

// Fields that name a caller or a version are told apart from fields of one call.
func TestWhoAsksAndOfOneCall(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ whoAsks, ofOneCall bool }{
		"user": {true, false}, "tenant_id": {true, false}, "organization": {true, false},
		"api_version": {true, false}, "prompt_cache_key": {true, false}, "projectId": {true, false},
		"trace_id": {false, true}, "requestId": {false, true}, "retry-count": {false, true},
		"timestamp": {false, true}, "created_at": {false, true}, "step": {false, true},
		"model": {false, false}, "category": {false, false}, "temperature": {false, false},
	} {
		if got := WhoAsks(name); got != want.whoAsks {
			t.Errorf("WhoAsks(%q) = %v", name, got)
		}
		if got := OfOneCall(name); got != want.ofOneCall {
			t.Errorf("OfOneCall(%q) = %v", name, got)
		}
	}
}

// Values that change from call to call are known by their shape: random parts, times, and
// numbers as long as those of clocks.
func TestShapesOfValuesOfOneCall(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct{ drawn, timed, counted bool }{
		"req 9022bbce-78ea-4f01-991b-d872b93f257d": {drawn: true},
		"x-9f86d081884c7d65":                       {drawn: true},
		"2026-01-02":                               {timed: true},
		"on 20260102":                              {timed: true, counted: true},
		"9:41":                                     {timed: true},
		"Fri, 2 Jan":                               {timed: true},
		"job 1767322245":                           {timed: true, counted: true},
		"batch 17":                                 {},
		"1234567":                                  {},
		"a friend of mine":                         {},
		"":                                         {},
	} {
		if got := Drawn(value); got != want.drawn {
			t.Errorf("Drawn(%q) = %v", value, got)
		}
		if got := Timed(value); got != want.timed {
			t.Errorf("Timed(%q) = %v", value, got)
		}
		if got := Counted(value); got != want.counted {
			t.Errorf("Counted(%q) = %v", value, got)
		}
	}
}
