package proof

import "testing"

// hosts are the pages that kinds of hosts show for any path, cut into what is
// before the markup, in its head and in its body.
var hosts = []struct{ name, before, head, body string }{
	{"an application that draws itself", "", "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>App</title>\n",
		"</head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=\"root\"></div><script src=\"/static/js/main.js\"></script>\n"},
	{"a parked domain", "\n\n", "<HTML>\n<HEAD><TITLE>shop.test is for sale</TITLE>\n", "</HEAD>\n<FRAMESET ROWS=\"100%,*\"><FRAME SRC=\"https://parking.test/\"></FRAMESET>\n"},
	{"a site builder's not found with status 200", "\xef\xbb\xbf", "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Page not found</title>\n",
		"</head><body class=\"error404\"><h1>Oops! That page can&rsquo;t be found.</h1>\n"},
	{"a check of the browser", "<!-- please wait -->\n", "<html><head><meta http-equiv=\"refresh\" content=\"5\"><title>Just a moment...</title>\n", "</head><body onload=\"check()\"><p>Checking your browser.</p>\n"},
	{"a login in front of a shared host", "<?xml version=\"1.0\"?>\n", "<head><title>Sign in</title>\n", "</head>\n<body>\n<form method=\"post\"><input name=\"user\"/></form>\n"},
}

// The line of a proof proves nothing inside such a page, be it at its beginning,
// in its head, in its body or behind it, however the page is labelled
// (BC-P-004, BC-P-005, BC-P-008, BC-P-021).
func TestBCP008AShellProvesNothingWhereverTheLineStands(t *testing.T) {
	const own = "\n" + line + "\n"
	for _, host := range hosts {
		pages := map[string]string{
			"before the markup": host.before + own + host.head + host.body,
			"in the head":       host.before + host.head + own + host.body,
			"in the body":       host.before + host.head + host.body + own + "</body></html>",
			"behind the page":   host.before + host.head + host.body + "</body></html>" + own,
		}
		for position, page := range pages {
			for _, media := range []string{"text/html; charset=utf-8", "text/plain", ""} {
				t.Run(host.name+", "+position+", as "+media, func(t *testing.T) {
					w := &web{answers: map[string]Answer{fileURL: file(200, media, page)}}
					f := Check(t.Context(), w, &zone{}, Question{Domain: "shop.test", Tokens: []string{token}})
					if f.File.Cause != HTMLShell || f.Method != None || !f.Definite() {
						t.Errorf("%+v", f)
					}
				})
			}
		}
	}
}
