// Files, folders, child processes with pipes, their statuses, signals to oneself, environment, arguments.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	fmt.Printf("%q %s\n", os.Args[1:], os.Getenv("LANG"))
	os.MkdirAll("tree/a", 0o755)
	for i, name := range []string{"tree/one.txt", "tree/a/größe.txt"} {
		os.WriteFile(name, []byte(strings.Repeat(name+"\n", i+1)), 0o640)
	}
	os.Symlink("one.txt", "tree/link")
	filepath.Walk("tree", func(path string, info os.FileInfo, err error) error {
		fmt.Println(path, info.IsDir(), info.Mode().Perm() == 0o640)
		return err
	})
	file, _ := os.Open("tree/a/größe.txt")
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fmt.Println("line", lines.Text())
	}
	file.Close()
	child := exec.Command("tr", "a-z", "A-Z")
	child.Stdin = strings.NewReader("through a pipe")
	out, err := child.Output()
	fmt.Println(string(out), err)
	err = exec.Command("sh", "-c", "exit 9").Run()
	fmt.Println(err, err.(*exec.ExitError).ExitCode())
	err = exec.Command("sh", "-c", "kill -KILL $$").Run()
	fmt.Println(err)
	_, err = exec.LookPath("no-such-program-anywhere")
	fmt.Println(err != nil)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-caught)
	temporary, _ := os.CreateTemp("", "corpus")
	defer os.Remove(temporary.Name())
	fmt.Fprint(temporary, "temporary")
	info, _ := temporary.Stat()
	fmt.Println(info.Size(), os.RemoveAll("tree"))
	input := bufio.NewReader(os.Stdin)
	first, _ := input.ReadString('\n')
	second, err := input.ReadString('\n')
	fmt.Printf("%q %q %v\n", first, second, err)
}
