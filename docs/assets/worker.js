// A page opened from the disk may start no worker, and the search runs in one. Here a hidden frame does its work.
class FrameWorker extends EventTarget {
  constructor(address) {
    super();
    const home = new URL(address, document.baseURI);
    const frame = Object.assign(document.createElement("iframe"), { hidden: true });
    document.body.append(frame);
    const inside = frame.contentWindow;
    const load = (source) =>
      new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: new URL(source, home), onload: done, onerror: failed });
        inside.document.body.append(script);
      });
    inside.importScripts = (...sources) => Promise.all(sources.map(load));
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.inside = load(home).then(() => inside);
  }

  postMessage(data) {
    this.inside.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
  }

  terminate() {}
}

if (location.protocol === "file:") window.Worker = FrameWorker;
