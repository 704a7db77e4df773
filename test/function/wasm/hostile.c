/* A KRM function that looks for what it must not find. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void try_file(const char *path) {
  FILE *file = fopen(path, "r");
  printf("- message: '%s: %s'\n", path, file == NULL ? "cannot be opened" : "OPENED");
}

int main(void) {
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room + 1);
  for (size_t got; (got = fread(text + size, 1, room - size, stdin)) > 0;) {
    size += got;
    if (size == room) text = realloc(text, (room *= 2) + 1);
  }
  text[size] = 0;
  printf("%sresults:\n", text);
  const char *secret = getenv("PORTICO_TEST_SECRET");
  printf("- message: 'PORTICO_TEST_SECRET: %s'\n", secret == NULL ? "absent" : secret);
  try_file("/etc/passwd");
  try_file("/proc/self/environ");
  printf("- message: '.: %s'\n", opendir(".") == NULL ? "cannot be opened" : "OPENED");
  time_t now = time(NULL);
  printf("- message: year %d\n", 1900 + gmtime(&now)->tm_year);
  return 0;
}
