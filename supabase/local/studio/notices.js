// Studio's table editor tells of a refused edit by alert(), which browsers may keep from a person, and which says after a
// key was pressed what is gone with the next. So the sentence stands on the page until somebody closes it.
window.alert = (text) => {
  document.getElementById("notice")?.remove();
  const notice = document.createElement("div");
  notice.id = "notice";
  notice.setAttribute("role", "alert");
  notice.style.cssText =
    "position:fixed;top:16px;left:50%;transform:translateX(-50%);z-index:2147483647;display:flex;gap:16px;" +
    "align-items:baseline;max-width:min(720px,calc(100vw - 32px));padding:12px 16px;border-radius:6px;" +
    "background:#7f1d1d;color:#fff;border:1px solid #f87171;font:14px/1.5 system-ui,sans-serif;" +
    "box-shadow:0 8px 24px rgb(0 0 0 / .5)";
  const sentence = document.createElement("span");
  sentence.textContent = String(text);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.style.cssText =
    "flex:none;background:none;border:1px solid #fff;border-radius:4px;color:inherit;padding:2px 8px;cursor:pointer";
  close.addEventListener("click", () => notice.remove());
  notice.append(sentence, close);
  document.body.append(notice);
};
