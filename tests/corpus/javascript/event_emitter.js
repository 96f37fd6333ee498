// Events: order, once, removal while emitting, errors without listeners, EventTarget.
const { EventEmitter } = require("events");
const bus = new EventEmitter();
bus.on("go", (...args) => console.log("first", args));
bus.once("go", () => console.log("only once"));
bus.prependListener("go", function () {
  console.log("before", this === bus);
});
const leaving = () => {
  console.log("leaving");
  bus.off("go", leaving);
};
bus.on("go", leaving);
console.log(
  bus.emit("go", 1, "two"),
  bus.emit("go"),
  bus.emit("nothing"),
  bus.listenerCount("go"),
  bus.eventNames(),
);
try {
  bus.emit("error", new Error("no listener"));
} catch (error) {
  console.log(error.message);
}
const target = new EventTarget();
target.addEventListener("ping", (event) => {
  console.log(event.type, event.cancelable);
  event.preventDefault();
});
console.log(target.dispatchEvent(new Event("ping", { cancelable: true })));
