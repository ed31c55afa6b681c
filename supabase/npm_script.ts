import { Command } from "commander";

/** The command line of a script in package.json. What it does not know it refuses by name, and then prints its help. */
export function npmScript(name: string): Command {
  return new Command(`npm run ${name} --`).showHelpAfterError().configureOutput({
    outputError: (text, write) =>
      write(
        text.replace(
          /^error: (unknown command)?/,
          (_, verb) => `corredor: ${verb ? "unknown verb" : ""}`,
        ),
      ),
  });
}
