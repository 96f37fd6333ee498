// Functions as values: callbacks with state, tables of operations, qsort and bsearch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
  const char* name;
  int age;
};

static int by_age(const void* a, const void* b) {
  const struct person* x = a;
  const struct person* y = b;
  return x->age != y->age ? x->age - y->age : strcmp(x->name, y->name);
}

static int by_number(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

static void each(const int* list, size_t count, void (*act)(int, void*), void* state) {
  for (size_t i = 0; i < count; ++i) act(list[i], state);
}

static void add(int value, void* state) { *(long*)state += value; }
static void largest(int value, void* state) {
  if (value > *(int*)state) *(int*)state = value;
}

static double plus(double a, double b) { return a + b; }
static double minus(double a, double b) { return a - b; }
static double times(double a, double b) { return a * b; }

int main(void) {
  struct person people[] = {{"Eve", 30}, {"Bob", 25}, {"Ann", 30}, {"Dan", 25}};
  qsort(people, 4, sizeof people[0], by_age);
  for (int i = 0; i < 4; ++i) printf("%s %d\n", people[i].name, people[i].age);
  int numbers[40];
  for (int i = 0; i < 40; ++i) numbers[i] = i * 7919 % 101;
  qsort(numbers, 40, sizeof numbers[0], by_number);
  int wanted[] = {9, 10, 95};
  for (int i = 0; i < 3; ++i) {
    int* at = bsearch(&wanted[i], numbers, 40, sizeof numbers[0], by_number);
    printf("%d %s\n", wanted[i], at ? "found" : "missing");
  }
  long sum = 0;
  int most = 0;
  each(numbers, 40, add, &sum);
  each(numbers, 40, largest, &most);
  printf("%ld %d\n", sum, most);
  struct {
    char sign;
    double (*apply)(double, double);
  } table[] = {{'+', plus}, {'-', minus}, {'*', times}};
  for (int i = 0; i < 3; ++i) printf("7 %c 2 = %g\n", table[i].sign, table[i].apply(7, 2));
  return 0;
}
