package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// The credentials of these tests are made up: drawn from a fixed seed in the
// format of their issuer, so that no scanner finds one in this repository.
type drawer struct{ *rand.Rand }

func (d drawer) from(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[d.IntN(len(set))]
	}
	return string(b)
}

const (
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	alnums    = letters + digits
	urlSet    = alnums + "_-"
	stdSet    = alnums + "+/"
	hexDigits = digits + "abcdef"
	base32Set = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

func (d drawer) jwt() string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+d.from(alnums, 20)+`"}`)) + "." + d.from(urlSet, 86)
}

func (d drawer) pem(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "PRIVATE KEY-----\n")
	for range 6 {
		b.WriteString(d.from(stdSet, 64) + "\n")
	}
	return b.String() + "-----END " + kind + "PRIVATE KEY-----"
}

// secrets draws one credential of each kind, in the formats of the issuers. name
// is the kind that must be found; bare is what must be replaced.
func (d drawer) secrets() []struct{ name, text, bare string } {
	s := func(name, text string) struct{ name, text, bare string } {
		return struct{ name, text, bare string }{name, text, text}
	}
	in := func(name, before, bare, after string) struct{ name, text, bare string } {
		return struct{ name, text, bare string }{name, before + bare + after, bare}
	}
	dash := func(parts ...string) string { return strings.Join(parts, "-") }
	return []struct{ name, text, bare string }{
		s("OpenAI, 2020", "sk-"+d.from(alnums, 20)+"T3Blbk"+"FJ"+d.from(alnums, 20)),
		s("OpenAI, project", "sk-proj-"+d.from(urlSet, 74)+"T3Blbk"+"FJ"+d.from(urlSet, 74)),
		s("OpenAI, service account", "sk-svcacct-"+d.from(urlSet, 58)+"T3Blbk"+"FJ"+d.from(urlSet, 58)),
		s("OpenAI, admin", "sk-admin-"+d.from(urlSet, 58)+"T3Blbk"+"FJ"+d.from(urlSet, 58)),
		s("Anthropic", "sk-ant-api03-"+d.from(urlSet, 93)+"AA"),
		s("Anthropic, admin", "sk-ant-admin01-"+d.from(urlSet, 93)+"AA"),
		s("Anthropic, OAuth", "sk-ant-oat01-"+d.from(urlSet, 86)+"AA"),
		s("OpenRouter", "sk-or-v1-"+d.from(hexDigits, 64)),
		s("DeepSeek", "sk-"+d.from(hexDigits, 32)),
		s("Moonshot", "sk-"+d.from(alnums, 48)),
		s("Langfuse", "sk-lf-"+dash(d.from(hexDigits, 8), d.from(hexDigits, 4), d.from(hexDigits, 4), d.from(hexDigits, 4), d.from(hexDigits, 12))),
		s("Google API key", "AIza"+"Sy"+d.from(urlSet, 33)),
		s("Google OAuth", "ya29."+"a0"+d.from(urlSet, 160)),
		s("Google client secret", "GOCSPX-"+d.from(urlSet, 28)),
		s("AWS key id", "AKIA"+d.from(base32Set, 16)),
		s("AWS temporary key id", "ASIA"+d.from(base32Set, 16)),
		in("AWS secret key, credentials file", "aws_secret_access_key = ", d.from(stdSet, 40), "\n"),
		in("AWS secret key, JSON", `"SecretAccessKey": "`, d.from(stdSet, 40), `"`),
		in("AWS secret key, environment", "AWS_SECRET_ACCESS_KEY=", d.from(stdSet, 40), ""),
		s("AWS session", "IQoJb3JpZ2lu"+d.from(stdSet, 400)),
		s("AWS session, older", "FwoGZXIvYXdz"+d.from(stdSet, 400)),
		s("Bedrock", "ABSK"+d.from(stdSet, 128)),
		s("Azure", d.from(alnums, 52)+"JQQ"+"J99"+d.from(alnums, 26)),
		in("Azure storage", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", d.from(stdSet, 86)+"==", ";EndpointSuffix=core.windows.net"),
		in("Azure SAS", "https://x.blob.core.windows.net/private/img.png?st=2026&se=2027&sr=b&sig=", url.QueryEscape(d.from(stdSet, 43)+"="), "&rscd=inline"),
		in("AWS signed URL", "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=", d.from(hexDigits, 64), ""),
		in("Google signed URL", "https://storage.googleapis.com/b/o?X-Goog-Expires=900&X-Goog-Signature=", d.from(hexDigits, 256), ""),
		s("GitHub, classic", "ghp_"+d.from(alnums, 36)),
		s("GitHub, OAuth", "gho_"+d.from(alnums, 36)),
		s("GitHub, user", "ghu_"+d.from(alnums, 36)),
		s("GitHub, server", "ghs_"+d.from(alnums, 36)),
		s("GitHub, refresh", "ghr_"+d.from(alnums, 76)),
		s("GitHub, fine-grained", "github_pat_"+d.from(alnums, 22)+"_"+d.from(alnums, 59)),
		s("GitLab", "glpat-"+d.from(urlSet, 20)),
		s("Slack, bot", dash("xoxb", d.from(digits, 12), d.from(digits, 13), d.from(alnums, 24))),
		s("Slack, user", dash("xoxp", d.from(digits, 12), d.from(digits, 12), d.from(digits, 12), d.from(hexDigits, 32))),
		s("Slack, app", dash("xapp", "1", "A"+d.from(base32Set, 10), d.from(digits, 13), d.from(hexDigits, 64))),
		in("Slack, hook", "https://hooks.slack.com/services/", "T"+d.from(base32Set, 8)+"/B"+d.from(base32Set, 10)+"/"+d.from(alnums, 24), ""),
		s("Hugging Face", "hf_"+d.from(letters, 34)),
		s("Groq", "gsk_"+d.from(alnums, 52)),
		s("xAI", "xai-"+d.from(alnums, 80)),
		s("Perplexity", "pplx-"+d.from(alnums, 48)),
		s("Replicate", "r8_"+d.from(alnums, 37)),
		s("Fireworks", "fw_"+d.from(alnums, 24)),
		s("Voyage", "pa-"+d.from(urlSet, 43)),
		s("Jina", "jina_"+d.from(hexDigits, 32)+d.from(urlSet, 28)),
		s("Tavily", "tvly-dev-"+d.from(alnums, 32)),
		s("LangSmith", "lsv2_pt_"+d.from(hexDigits, 32)+"_"+d.from(hexDigits, 10)),
		s("Pinecone", "pcsk_"+d.from(alnums, 5)+"_"+d.from(alnums, 60)),
		s("NVIDIA", "nvapi-"+d.from(urlSet, 64)),
		s("Cerebras", "csk-"+d.from(hexDigits, 48)),
		s("Together", "tgp_v1_"+d.from(urlSet, 43)),
		s("E2B", "e2b_"+d.from(hexDigits, 40)),
		s("Firecrawl", "fc-"+d.from(hexDigits, 32)),
		s("Stripe, live", "sk_live_"+d.from(alnums, 99)),
		s("Stripe, restricted", "rk_live_"+d.from(alnums, 24)),
		s("Stripe, test", "sk_test_"+d.from(alnums, 24)),
		s("webhook", "whsec_"+d.from(stdSet, 32)),
		s("npm", "npm_"+d.from(alnums, 36)),
		s("PyPI", "pypi-AgE"+"IcHlwaS5vcmc"+d.from(urlSet, 150)),
		s("DigitalOcean", "dop_v1_"+d.from(hexDigits, 64)),
		s("Databricks", "dapi"+d.from(hexDigits, 32)),
		s("SendGrid", "SG."+d.from(urlSet, 22)+"."+d.from(urlSet, 43)),
		s("Vault", "hvs."+d.from(urlSet, 90)),
		s("Docker", "dckr_pat_"+d.from(urlSet, 27)),
		s("Linear", "lin_api_"+d.from(alnums, 40)),
		s("Notion", "ntn_"+d.from(alnums, 46)),
		s("Telegram", d.from("123456789", 10)+":AA"+d.from(urlSet, 32)+"x"),
		s("JWT", d.jwt()),
		s("PEM", d.pem("")),
		s("PEM, RSA", d.pem("RSA ")),
		s("PEM, OpenSSH", d.pem("OPENSSH ")),
		in("bearer token", "Authorization: Bearer ", d.from(alnums, 40), ""),
		in("key by name", "COHERE_API_KEY=", d.from(alnums, 40), ""),
		in("key by name, YAML", "MISTRAL_API_KEY: ", d.from(alnums, 32), "\n"),
		in("key by header", `curl -H "x-api-key: `, d.from(alnums, 40), `"`),
		in("database", "postgres://app:", d.from(alnums, 16), "@db.internal:5432/prod"),
	}
}

// frames are where a credential stands in traffic. Each must give back the
// credential as it stands in the text.
var frames = []struct {
	name string
	wrap func(text, bare string) (full, inText string)
}{
	{"a prompt", func(text, bare string) (string, string) { return "Use " + text + " to log in.", bare }},
	{"JSON", func(text, bare string) (string, string) {
		b, _ := json.Marshal(map[string]string{"content": "here:\n" + text})
		quoted, _ := json.Marshal(bare)
		return string(b), string(quoted[1 : len(quoted)-1])
	}},
	{"JSON in JSON", func(text, bare string) (string, string) {
		esc := func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }
		inner, _ := json.Marshal(map[string]string{"key": "a\n" + text})
		return `{"arguments":"` + esc(string(inner)) + `"}`, esc(esc(bare))
	}},
	{"a shell line", func(text, bare string) (string, string) { return "$ export KEY='" + text + "'\n", bare }},
	{"a code block", func(text, bare string) (string, string) {
		return "```python\nclient = Client(\"" + text + "\")\n```", bare
	}},
}

// Credentials in all known formats are found, and harmless texts are not; docs/SECURITY.md has both
// counts.
func TestShapes(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(1, 2))}
	positives, missed := 0, 0
	for _, frame := range frames {
		for _, s := range d.secrets() {
			full, bare := frame.wrap(s.text, s.bare)
			positives++
			if !strings.Contains(full, bare) {
				t.Fatalf("%s in %s: the case is wrong", s.name, frame.name)
			}
			got := redactedText(full)
			if want := strings.Replace(full, bare, Placeholder, 1); got != want {
				missed++
				t.Errorf("%s in %s:\n got %s\nwant %s", s.name, frame.name, got, want)
			}
		}
	}
	wrong := 0
	negatives := negativeCases(d)
	for _, n := range negatives {
		if hits := kindsIn(n); len(hits) > 0 {
			wrong++
			t.Errorf("%s found in %.200q", hits[0], n)
		}
	}
	t.Logf("%d positive cases, %d missed; %d negative cases, %d found", positives, missed, len(negatives), wrong)
	if positives < 200 || len(negatives) < 200 {
		t.Errorf("%d positive and %d negative cases, want 200 of each", positives, len(negatives))
	}
}

// negativeCases is ordinary traffic that only looks like a credential.
func negativeCases(d drawer) []string {
	id := func(prefix, set string, n int) string { return prefix + d.from(set, n) }
	cases := []string{
		// What documentation and tests have in place of a key.
		"sk-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-YOUR_API_KEY_HERE_0123456789abcdef", "sk-ant-api03-...", "sk-ant-your-key-goes-here-please-replace-it-now",
		"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "sk-1234567890abcdef1234567890abcdef", "sk-test", "sk-fake-key-for-tests-only-0000000000000",
		"AIzaSyEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMP", "AKIA" + "IOSFODNN7EXAMPLE", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"Bearer YOUR_ACCESS_TOKEN_GOES_HERE_PLEASE", "Authorization: Bearer $OPENAI_API_KEY", "Authorization: Bearer {token}", "Bearer tokens are described in RFC 6750.",
		"OPENAI_API_KEY=<your key>", "OPENAI_API_KEY=${OPENAI_API_KEY}", "export ANTHROPIC_API_KEY=your-api-key-goes-in-this-place", "api_key: os.environ[\"OPENAI_API_KEY\"]", "api_key=settings.openai_api_key_from_the_environment",
		"aws_secret_access_key = <secret>", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "a block that starts with -----BEGIN RSA PRIVATE KEY----- is a key", "-----BEGIN CERTIFICATE-----\n" + d.from(stdSet, 64) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + d.from(stdSet, 64) + "\n-----END PUBLIC KEY-----", "postgres://user:password@localhost:5432/db", "https://user:${PASSWORD}@host/", "redis://default:<password>@host", "mongodb://user:my-password@host",
		"https://example.com:8080/a@b", "git@github.com:org/repo.git", "mailto:someone@example.com", Placeholder, "[REDACTED-620bfdaa]", "Authorization: Bearer [REDACTED]",
		// Names and words.
		"sk-learn is scikit-learn", "task-oriented-dialogue-systems-with-large-language-models", "risk-adjusted-return-on-capital-of-the-portfolio", "desk-booking-system-for-the-office-in-amsterdam-v2",
		"disk-usage-of-the-partition-dev-nvme0n1p1-in-percent", "pa-system-announcement-of-the-train-station-number-12", "the fc-barcelona team", "fw_update_available_for_the_router", "hf_hub_download", "hf_transformers_cache_directory_path",
		"npm_config_registry", "npm_package_config_build_target_platform", "gsk_learn", "e2b_sandbox", "r8_optimizer_for_android_applications", "csk-cricket-team-of-chennai-super-kings-in-2026", "jina_embeddings_v3_base_en_for_retrieval_tasks",
		"pplx-online-model-with-web-search", "xai-explainable-artificial-intelligence-for-everybody-and-all", "tvly-is-a-prefix", "sess-ion", "whsec_is_the_prefix_of_webhook_secrets", "data-api-reference", "dapi is short for device api",
		"glpat-is-a-gitlab-prefix-of-tokens", "ntn_network_traffic_notification_service_v2", "figd_", "SG.ssg", "hvs.", "Singapore (SG.) is a city", "secret_access_key", "the API key is missing", "x-api-key: required", "invalid x-api-key",
		"Incorrect API key provided: sk-abc***********xyz.", "Incorrect API key provided: test. You can find your API key at https://platform.openai.com/account/api-keys.",
		"?signature=abc", "&sig=short", "sig=1", "https://host/?Signature=invalid&x=1", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + d.from(stdSet, 40) + " me@host", "ssh-rsa AAAAB3NzaC1yc2E" + d.from(stdSet, 300),
		// Fields of traffic.
		`{"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":0}}}`, `{"max_tokens":1024,"max_completion_tokens":512}`,
		`{"logprobs":{"content":[{"token":"sk","logprob":-0.1,"bytes":[115,107]},{"token":"-","logprob":-1}]}}`, `{"token":"ghp","logprob":-3}`, `{"tokens":["a","b"]}`, `{"next_page_token":"` + d.from(urlSet, 40) + `"}`,
		`{"pageToken":"` + d.from(urlSet, 64) + `"}`, `{"type":"authorization_error","message":"x"}`, `{"secret":false}`, `{"api_key_source":"none"}`, `{"authentication":"required"}`, `{"finish_reason":"stop"}`,
		`{"password":{"type":"string","description":"at least 12 characters"}}`, `{"name":"get_api_key","parameters":{"type":"object"}}`, `{"key":"value"}`, `{"cursor":"` + d.from(urlSet, 88) + `"}`, `{"etag":"W/\"` + d.from(hexDigits, 40) + `\""}`,
		`data: {"choices":[{"delta":{"content":"sk"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"-"}}]}`, "tokens-per-second: 123456789.123456789", "2026-01-02T03:04:05.678901234Z",
	}
	// Ids, hashes and blobs, drawn as providers draw them.
	for range 4 {
		cases = append(cases,
			id(`{"id":"chatcmpl-`, alnums, 29)+`"}`, id(`{"id":"resp_`, hexDigits, 48)+`"}`, id(`{"id":"msg_01`, alnums, 22)+`"}`, id(`{"id":"call_`, alnums, 24)+`"}`, id(`{"id":"toolu_01`, alnums, 22)+`"}`,
			id(`{"id":"file-`, alnums, 22)+`"}`, id(`{"request_id":"req_011`, alnums, 21)+`"}`, id(`{"item":"rs_`, hexDigits, 48)+`"}`, id(`{"item":"fc_`, hexDigits, 48)+`"}`, id(`{"id":"run_`, alnums, 24)+`"}`,
			id(`{"thread":"thread_`, alnums, 24)+`"}`, id(`{"id":"vs_`, hexDigits, 32)+`"}`, id(`{"system_fingerprint":"fp_`, hexDigits, 10)+`"}`, id(`{"org":"org-`, alnums, 24)+`"}`, id(`{"project":"proj_`, alnums, 24)+`"}`, id(`{"session":"session_`, alnums, 26)+`"}`,
			fmt.Sprintf("%s-%s-4%s-a%s-%s", d.from(hexDigits, 8), d.from(hexDigits, 4), d.from(hexDigits, 3), d.from(hexDigits, 3), d.from(hexDigits, 12)),
			"commit "+d.from(hexDigits, 40), "sha256:"+d.from(hexDigits, 64), "md5 "+d.from(hexDigits, 32), "sha512-"+d.from(stdSet, 86)+"==",
			`{"encrypted_content":"gAAAAAB`+d.from(urlSet, 800)+`=="}`, `{"thoughtSignature":"`+d.from(stdSet, 1200)+`"}`, `{"thought_signature":"Cs`+d.from(stdSet, 600)+`=="}`, `{"signature":"ErUB`+d.from(stdSet, 300)+`=="}`,
			`{"url":"data:image/png;base64,iVBORw0KGgo`+d.from(stdSet, 4000)+`"}`, `{"data":"/9j/4AAQSkZJRg`+d.from(stdSet, 4000)+`"}`, `{"b64_json":"`+d.from(stdSet, 8000)+`=="}`, `{"audio":"UklGR`+d.from(stdSet, 2000)+`"}`, `{"blob":"`+d.from(urlSet, 8000)+`"}`,
			`{"embedding":[`+strings.Repeat("0.0"+d.from(digits, 8)+",", 50)+`0]}`, `{"embedding":"`+base64.StdEncoding.EncodeToString([]byte(d.from(alnums, 600)))+`"}`,
			"eyJ"+d.from(alnums, 60), "cursor=eyJ"+base64.RawURLEncoding.EncodeToString([]byte(`{"after":"`+d.from(alnums, 20)+`"}`)), "https://host/p?page="+d.from(digits, 12)+"&after="+d.from(alnums, 24),
			"arn:aws:bedrock:us-east-1:"+d.from(digits, 12)+":inference-profile/us.anthropic.claude", "projects/"+d.from(digits, 12)+"/locations/us-central1/endpoints/"+d.from(digits, 19), "+1 "+d.from(digits, 10), "order "+d.from(digits, 10)+":AB"+d.from(alnums, 20),
			"xoxb-"+d.from(alnums, 8), "ghp_"+d.from(alnums, 12), "sk-"+d.from(alnums, 12), "AKIA"+d.from(base32Set, 9), "AIza"+d.from(urlSet, 12), "hf_"+d.from(letters, 9), "glpat-"+d.from(alnums, 6),
		)
	}
	return cases
}

// TestShapesInBase64: a long run of base64 holds the letters of every prefix, and
// no credential.
func TestShapesInBase64(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(3, 4))}
	for _, set := range []string{stdSet, urlSet, hexDigits, alnums} {
		if hits := kindsIn(`{"data":"` + d.from(set, 1<<20) + `"}`); len(hits) > 0 {
			t.Errorf("%d hits in 1 MB of %.10s…: %+v", len(hits), set, hits[0])
		}
	}
}

func FuzzShapes(f *testing.F) {
	d := drawer{rand.New(rand.NewPCG(5, 6))}
	for _, s := range d.secrets() {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text := string(b)
		hits := findPatterns(text)
		at := 0
		for _, h := range hits {
			if h.start < at || h.end <= h.start || h.end > len(text) || h.kind == noKind {
				t.Fatalf("hits %+v of %q", hits, text)
			}
			at = h.end
		}
		clean := redactedText(text)
		if again := redactedText(clean); again != clean {
			t.Errorf("%q cleaned is %q, and again %q", text, clean, again)
		}
	})
}

// BenchmarkShapes: everything that is written is looked through.
func BenchmarkShapes(b *testing.B) {
	d := drawer{rand.New(rand.NewPCG(7, 8))}
	image := `{"url":"data:image/png;base64,` + d.from(stdSet, 10<<20) + `"}`
	prose := strings.Repeat("The quick-witted fox, who was sk-ilful, jumped over a well_known dog. ", 15000)
	stream := strings.Repeat(`data: {"id":"chatcmpl-`+d.from(alnums, 29)+`","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" word"}}]}`+"\n\n", 8000)
	blob := hex.EncodeToString([]byte(d.from(alnums, 1<<20)))
	for _, tt := range []struct {
		name string
		text string
	}{{"image", image}, {"prose", prose}, {"stream", stream}, {"hex", blob}} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			for b.Loop() {
				if len(findPatterns(tt.text)) > 0 {
					b.Fatal("found something")
				}
			}
		})
	}
}
