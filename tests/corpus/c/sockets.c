// Sockets on the loopback device: an echo server on poll, clients, datagrams, a pair.
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in loopback(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void serve(int listener, int clients) {
  struct pollfd fds[5] = {{.fd = listener, .events = POLLIN}};
  int used = 1, closed = 0;
  while (closed < clients && poll(fds, (nfds_t)used, 10000) > 0) {
    if (fds[0].revents & POLLIN) {
      fds[used++] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
    }
    for (int i = 1; i < used; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char data[4096];
      ssize_t n = read(fds[i].fd, data, sizeof data);
      if (n > 0 && write(fds[i].fd, data, (size_t)n) == n) continue;
      close(fds[i].fd);
      fds[i].fd = -1;
      ++closed;
    }
  }
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback();
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr*)&address, size) != 0 || listen(listener, 5) != 0) return 1;
  getsockname(listener, (struct sockaddr*)&address, &size);
  if (fork() == 0) {
    serve(listener, 3);
    _exit(0);
  }
  int links[3];
  for (int i = 0; i < 3; ++i) {
    links[i] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(links[i], (struct sockaddr*)&address, size) != 0) return 1;
  }
  for (int i = 2; i >= 0; --i) {
    char text[32], back[32] = {0};
    snprintf(text, sizeof text, "client %d", i);
    if (send(links[i], text, strlen(text), 0) < 0) return 1;
    if (recv(links[i], back, strlen(text), MSG_WAITALL) < 0) return 1;
    puts(back);
    close(links[i]);
  }
  wait(NULL);
  int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
  address = loopback();
  if (bind(receiver, (struct sockaddr*)&address, sizeof address) != 0) return 1;
  getsockname(receiver, (struct sockaddr*)&address, &size);
  sendto(sender, "datagram", 8, 0, (struct sockaddr*)&address, size);
  char text[32] = {0};
  printf("%zd %s\n", recv(receiver, text, sizeof text, 0), text);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  shutdown(pair[0], SHUT_WR);
  printf("%zd %s\n", read(pair[1], text, 1), inet_ntoa(address.sin_addr));
  return 0;
}
