// Code that cannot be parsed: nothing runs.
console.log("never printed");
const value = [1, 2;
