/** The commands of README and docs/*.md, and how a reader's shell runs them: `pasted-blocks.ts` decides about each block. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '#config/process/root.ts'

/** What is decided about one block. */
export interface Decision {
  /** How the block begins: one that is new, changed or moved has to be decided about again. */
  readonly begins: string
  /** Why it cannot be run here. */
  readonly skip?: string
  /** What the reader has done and knows before, as shell commands. */
  readonly before?: string
  /** Text that a reader replaces, and by what: a shell word, which may use what `before` has set. */
  readonly words?: Readonly<Record<string, string>>
}

/** The pages with commands that the book's own test does not run. */
export const pages = (): string[] =>
  ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((page) => page.endsWith('.md') && blocksOf(page).length > 0)
    .toSorted()

/** The blocks of commands on a page, in order, without the indent of the list that they are in. */
export function blocksOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8')
  return [...text.matchAll(/^( *)```(?:sh|bash)\n([^]*?)^ *```$/gm)].map(([, indent, block]) =>
    block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

/** A command that fails ends the shell; so does an answer that is an error. */
const begin = `set -e -o pipefail
shopt -u patsub_replacement 2> /dev/null || true
curl() { command curl --fail-with-body --max-time 60 "$@"; }
nats() { node "$REPOSITORY/test/harness/nats-command.mjs" "$@"; }
get() { command curl -gsf -H "Authorization: Bearer $TOKEN" "$URL$1"; }
at_top() { node -p "JSON.parse(fs.readFileSync(0))$1"; }
at() { at_top ".data$1"; }
tidemark() { node "$REPOSITORY/config/run.mjs" "$@"; }
`

/** One shell that runs the blocks of a page that can run; before each it prints \`::\` and its number. */
export function scriptOf(page: string, decisions: readonly Decision[]): string {
  const steps = blocksOf(page).map((block, i) => {
    const { skip, before = '', words = {} } = decisions[i]!
    if (skip !== undefined) return ''
    const replaced = Object.entries(words).map(([from, to]) => `text=\${text//${quoted(from)}/${to}}\n`)
    return `echo '::${i + 1}'\n${before}\ntext=$(cat <<'END_OF_BLOCK'\n${block}END_OF_BLOCK\n)\n${replaced.join('')}eval "$text"\n`
  })
  return begin + steps.join('')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
