import { spawn } from "node:child_process";

/**
 * Ends a child when this process is killed (SIGKILL) and cannot do so itself: a shell waits for the end of its input,
 * which the system closes when we die. Returns how to cancel it.
 */
export function watchdog(pid: number, signal: string, removeOnDeath?: string): () => void {
  const script = `
    read -r line
    kill -"$2" "$1"
    [ -n "$3" ] || exit 0
    while kill -0 "$1"; do sleep 0.1; done
    rm -rf "$3"`;
  const shell = spawn("sh", ["-c", script, "watchdog", String(pid), signal, removeOnDeath ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  shell.on("error", () => {});
  return () => shell.kill("SIGKILL");
}
