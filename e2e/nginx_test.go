//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// moduleGlobs is where Debian keeps the dynamic modules of nginx.
const moduleGlobs = "/usr/lib/nginx/modules/ngx_http_brotli_*_module.so"

// server is a running nginx.
type server struct {
	port      int
	folder    string
	accessLog string
}

// nginxConf serves each site below its own name, and nothing for other names.
// Compressing on the fly keeps entity tags, as weak ones.
const nginxConf = `{{range .Modules}}load_module {{.}};
{{end}}{{if .Root}}user root;
{{end}}worker_processes 2;
pid {{.Folder}}/nginx.pid;
error_log {{.Folder}}/error.log warn;
events { worker_connections 512; }
http {
	types {
		text/html html htm;
		text/css css;
		text/plain txt;
		text/markdown md;
		text/javascript js;
		image/svg+xml svg;
		image/png png;
		application/xml xml;
	}
	default_type application/octet-stream;
	charset utf-8;
	log_format fields '$host\t$request_method\t$request_uri\t$status\t$sent_http_content_encoding\t$http_if_none_match';
	access_log {{.Folder}}/access.log fields;
	{{range .Temp}}{{.}}_temp_path {{$.Folder}}/temp;
	{{end}}
	ssl_certificate {{.Folder}}/cert.pem;
	ssl_certificate_key {{.Folder}}/key.pem;
	gzip on;
	gzip_types text/css text/plain text/markdown text/javascript image/svg+xml;
	brotli on;
	brotli_comp_level 4;
	brotli_types text/css text/plain text/markdown text/javascript image/svg+xml;
	server {
		listen 127.0.0.1:{{.Port}} ssl http2 default_server;
		return 421;
	}
{{range .Sites}}	server {
		listen 127.0.0.1:{{$.Port}} ssl http2;
		server_name {{.Host}};
		root {{.Root}};
		index index.html;
		absolute_redirect off;
		location = /robots.txt { alias {{.Robots}}; default_type text/plain; }
		location = /llms.txt { alias {{.LLMs}}; types { } default_type text/markdown; }
		location = /.well-known/llm-context { return 302 /llms.txt; }
	}
{{end}}}
`

// startServer starts nginx on a free port of 127.0.0.1 and stops it when the
// test ends.
func startServer(t *testing.T, sites []site, pair keyPair) *server {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		missing(t, "nginx is not installed: apt-get install nginx libnginx-mod-http-brotli-filter")
	}
	modules, err := filepath.Glob(moduleGlobs)
	if err != nil || len(modules) == 0 {
		missing(t, "nginx has no brotli: apt-get install libnginx-mod-http-brotli-filter")
	}
	s := &server{port: freePort(t), folder: t.TempDir()}
	s.accessLog = filepath.Join(s.folder, "access.log")
	write(t, filepath.Join(s.folder, "cert.pem"), pair.cert)
	write(t, filepath.Join(s.folder, "key.pem"), pair.key)
	if err := os.Mkdir(filepath.Join(s.folder, "temp"), 0o700); err != nil {
		t.Fatal(err)
	}
	var conf bytes.Buffer
	err = template.Must(template.New("nginx").Parse(nginxConf)).Execute(&conf, map[string]any{
		"Modules": modules, "Root": os.Getuid() == 0, "Folder": s.folder, "Port": s.port, "Sites": sites,
		"Temp": []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"},
	})
	if err != nil {
		t.Fatal(err)
	}
	confPath := filepath.Join(s.folder, "nginx.conf")
	write(t, confPath, conf.Bytes())
	s.run(t, exec.Command(program, "-p", s.folder, "-c", confPath, "-e", filepath.Join(s.folder, "error.log"), "-g", "daemon off;"))
	return s
}

// run starts the command, waits until its port answers, and ends it with the
// test. Should the test die, the kernel ends it.
func (s *server) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err == nil {
			<-ended
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("tcp", s.address()); err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			log, _ := os.ReadFile(filepath.Join(s.folder, "error.log"))
			t.Fatalf("nginx ended: %v\n%s%s", err, output.Bytes(), log)
		case <-ctx.Done():
			t.Fatalf("nginx does not answer on %s\n%s", s.address(), output.Bytes())
		case <-tick.C:
		}
	}
}

func (s *server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// requests reads the access log.
func (s *server) requests(t *testing.T) []request {
	t.Helper()
	text, err := os.ReadFile(s.accessLog)
	if err != nil {
		t.Fatal(err)
	}
	var all []request
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			t.Fatalf("access log: %q", line)
		}
		status, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatalf("access log: %q: %v", line, err)
		}
		all = append(all, request{host: f[0], method: f[1], target: f[2], status: status, coding: f[4], ifNoneMatch: f[5] != "-"})
	}
	return all
}

// request is one line of the access log.
type request struct {
	host, method, target string
	status               int
	coding               string // of the answer, "-" for none
	ifNoneMatch          bool
}

func (r request) String() string {
	return fmt.Sprintf("%s https://%s%s: %d", r.method, r.host, r.target, r.status)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// client returns a TLS configuration for host that trusts the authority.
func (p keyPair) client(t *testing.T, host string) *tls.Config {
	t.Helper()
	return &tls.Config{RootCAs: p.pool(t), ServerName: host}
}
