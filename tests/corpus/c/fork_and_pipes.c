// Processes: fork, pipes both ways, exec, statuses, a pipeline by hand, an orphan's output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) return 1;
  pid_t child = fork();
  if (child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    close(to[1]);
    close(from[0]);
    execlp("tr", "tr", "a-z", "A-Z", (char*)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  if (write(to[1], "through a pipe", 14) != 14) return 1;
  close(to[1]);
  char text[100] = {0};
  if (read(from[0], text, sizeof text - 1) < 0) return 1;
  int status;
  waitpid(child, &status, 0);
  printf("%s %d\n", text, WEXITSTATUS(status));
  for (int code = 0; code < 3; ++code) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) exit(code * 100);
    waitpid(pid, &status, 0);
    printf("exited %d with %d\n", WIFEXITED(status), WEXITSTATUS(status));
  }
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) abort();
  waitpid(pid, &status, 0);
  printf("signalled %d by %d\n", WIFSIGNALED(status), WTERMSIG(status));
  fflush(stdout);
  printf("system: %d\n", WEXITSTATUS(system("exit 9")));
  FILE* lines = popen("printf 'b\\na\\n' | sort", "r");
  while (fgets(text, sizeof text, lines) != NULL) printf("popen: %s", text);
  printf("pclose: %d\n", pclose(lines));
  return wait(NULL) == -1 ? 0 : 1;
}
