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

// TestScreens: no screen is wider than the window, at any width, light and dark. With
// -screenshots it writes a picture of each.
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
				"compare": "compare/bot/testdata/cassettes/TestTrip.yaml",
			} {
				eval[string](p, "location.hash = '"+id+"'")
				if id != "" {
					p.until("document.querySelector('.screen:target') !== null && document.getElementById('list').offsetParent === null")
				}
				if wide := eval[int64](p, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s, %s: %d pixels wide in a window of %d", screen, scheme, wide, width)
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
}
