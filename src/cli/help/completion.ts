import { defineCommand } from "../core/command.ts";
import { invalid } from "../core/failure.ts";
import { programName } from "../core/program.ts";

/** Each asks `complete`, of this very program, for what may come next, so that a script never has to be made again. */
const scripts = (program: string) => ({
  bash: `_parley() {
  local IFS=$'\\n'
  COMPREPLY=($(${program} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _parley parley`,
  zsh: `#compdef parley
_parley() {
  local -a found
  found=("\${(@f)$(${program} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -- "\${found[@]}" || _files
}
compdef _parley parley`,
  fish: `function __parley
  set -l words (commandline -opc) (commandline -ct)
  ${program} complete -- $words[2..-1] 2>/dev/null
end
complete -c parley -f -a '(__parley)'`,
});

export const completion = defineCommand({
  examples: ["completion bash", "completion zsh", "completion fish"],
  details:
    'For bash: eval "$(parley completion bash)" in ~/.bashrc; for zsh the same in ~/.zshrc; for fish: parley completion fish | source',
  format: "text",
  positionals: { shell: { required: true, description: "bash, zsh or fish" } },
  async run(cli, { shell }) {
    const known = scripts(programName());
    const script = Object.entries(known).find(([name]) => name === shell)?.[1];
    if (!script) throw invalid(`SHELL is one of ${Object.keys(known).join(", ")}, not ${JSON.stringify(shell)}.`);
    await cli.out.result({ shell, script }, () => script);
  },
});
