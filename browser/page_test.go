package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "write pictures of the page to this folder")

// cutOff lists what is seen only in part: an element that ends outside of the window, in nothing that
// scrolls, or that hides the end of what is in it.
const cutOff = `(() => {
	const scrolls = e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
	const found = [];
	for (const e of document.querySelectorAll("body *")) {
		const box = e.getBoundingClientRect(), style = getComputedStyle(e);
		if (box.width <= 1 || box.height <= 1 || style.visibility === "hidden" || e.closest("svg, script, style, option"))
			continue; // not seen, or only read out
		let inside = false;
		for (let a = e.parentElement; a; a = a.parentElement)
			inside ||= scrolls(a);
		const hides = ["hidden", "clip"].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
		if (hides || !inside && (box.right > document.documentElement.clientWidth + 1 || box.left < -1))
			found.push(e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 60));
	}
	return found.slice(0, 5).join("; ");
})()`

// The page fits windows of any width, light and dark, and nothing is cut off. With -screenshots it
// writes a picture of each.
func TestScreens(t *testing.T) {
	if *screenshots != "" {
		if err := os.MkdirAll(*screenshots, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	address := serve(t, tree(t))
	for name, width := range map[string]int64{"desk": 1280, "hand": 400, "narrow": 390} {
		for _, scheme := range []string{"light", "dark"} {
			p := open(t, address, width, 900)
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			for screen, id := range map[string]string{
				"list": "", "conversation": "bot/testdata/cassettes/TestTrip.yaml", "agent": "plan/testdata/cassettes/TestTrip.yaml",
				"hostile": "bot/testdata/cassettes/TestHostile.yaml", "broken": "bot/testdata/cassettes/TestBroken.yaml", "long": "bot/testdata/cassettes/TestLong.yaml",
				"servers": "bot/testdata/cassettes/TestCity/rome.yaml", "servers2": "bot/testdata/cassettes/TestCity/a_city_with_a_name_that_is_longer_than_a_telephone_is_wide_in_one_word.yaml",
				"stream":  "bot/testdata/cassettes/TestStream.yaml",
				"wide":    "bot/testdata/cassettes/TestWide.yaml",
				"compare": "compare/bot/testdata/cassettes/TestTrip.yaml",
			} {
				eval[string](p, "location.hash = '"+id+"'")
				if id != "" {
					p.until("document.querySelector('.screen:target') !== null && document.getElementById('list').offsetParent === null")
				}
				if wide := eval[int64](p, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s, %s: %d pixels wide in a window of %d", screen, scheme, wide, width)
				}
				if cut := eval[string](p, cutOff); cut != "" {
					t.Errorf("%s, %s, %d pixels: cut off: %s", screen, scheme, width, cut)
				}
				if *screenshots != "" {
					picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(*screenshots, screen+"-"+name+"-"+scheme+".png"), picture, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	p := open(t, address, 400, 900)
	eval[string](p, `(() => {
		const p = document.body.appendChild(document.createElement("p"));
		p.textContent = "this is too long for it";
		Object.assign(p.style, {width: "50px", overflow: "hidden", whiteSpace: "nowrap"});
		return "";
	})()`)
	if eval[string](p, cutOff) == "" {
		t.Error("a text that is cut off is not seen")
	}
}
