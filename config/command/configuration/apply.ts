/** Configuration as files: what would change, changing it, and writing files of what exists. */
import fs from 'node:fs'
import path from 'node:path'
import { dump } from 'js-yaml'
import { askCommand } from '#config/command/line/build.ts'
import { UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { requireConfirmation } from '#config/command/line/confirm.ts'
import { argument, argumentList, org, readAs, toggle } from '#config/command/line/flag.ts'
import { readDocuments } from './document.ts'
import { allKinds, type Kind, type Members } from './kind.ts'
import { Configuration, describeKind, type Change } from './plan.ts'

/** The exit code of a plan with changes. */
const differs = 3

const files = readAs(
  argumentList('FILE', 'YAML or JSON file, or a folder with such files; format: docs/configuration-files.md'),
  (paths) => {
    if (paths.length === 0) throw new UsageError('FILE is missing.')
    return readDocuments(paths)
  },
)
const prune = toggle('Also delete what no file describes, of the kinds that the files describe')

const signs = { create: '+', change: '~', delete: '-' } as const

function textOf({ what, kind, name, differences = [] }: Change): string {
  const lines = differences.map(({ path: member, from = 'none', to = 'none' }) => `    ${member}: ${from} -> ${to}`)
  return [`${signs[what]} ${what} ${kind}${name && ` ${name}`}`, ...lines].join('\n')
}

const dataOf = ({ what, kind, name, differences }: Change): Change => ({
  what,
  kind,
  name,
  ...(differences && { differences }),
})

function planResult(changes: readonly Change[], unchanged: number): Result {
  const same = `${unchanged} of ${unchanged + changes.length} unchanged.`
  const text = changes.length === 0 ? `Nothing to change: ${same}` : [...changes.map(textOf), same].join('\n')
  return { data: changes.map(dataOf), text, ...(changes.length > 0 && { code: differs }) }
}

const unchangedOf = (documents: number, changes: readonly Change[]): number =>
  documents - changes.filter(({ what }) => what !== 'delete').length

export const configurationCommands: readonly Command[] = [
  askCommand({
    name: 'policy plan',
    summary: 'Show what "policy apply" would change, without changing it',
    takes: { files, org, prune },
    exitCodes: { [`exit code ${differs}`]: 'something differs from the files' },
    run: async (api, { files: documents, prune: isPruning }) => {
      const changes = await new Configuration(api, documents).plan({ isPruning })
      return planResult(changes, unchangedOf(documents.length, changes))
    },
  }),
  askCommand({
    name: 'policy apply',
    summary: 'Create and change teams, policies, budgets and more as files say',
    takes: { files, org, prune, yes: toggle('Delete without asking') },
    run: async (api, { files: documents, prune: isPruning, yes }) => {
      const configuration = new Configuration(api, documents)
      const planned = await configuration.plan({ isPruning })
      const deletions = planned.filter(({ what }) => what === 'delete')
      if (deletions.length > 0)
        await requireConfirmation(`${deletions.map(textOf).join('\n')}\nDelete these ${deletions.length}?`, yes)
      const made: Change[] = []
      try {
        await configuration.apply({ isPruning }, (change) => made.push(change))
      } catch (error) {
        ;(error as Error).message = `${failure(made, planned)} ${(error as Error).message}`
        throw error
      }
      const { data, text } = planResult(made, unchangedOf(documents.length, made))
      return { data, text }
    },
  }),
  askCommand({
    name: 'policy export',
    summary: 'Write files for "policy apply" of everything that exists, one per kind',
    takes: { folder: argument('FOLDER', 'Folder for the files; existing files of the same name are replaced'), org },
    run: async (api, { folder }) => {
      fs.mkdirSync(folder, { recursive: true })
      const data: { file: string; count: number }[] = []
      for (const kind of allKinds) {
        const documents = await describeKind(api, kind)
        if (documents.length === 0) continue
        const file = path.join(folder, `${kind.name}.yaml`)
        fs.writeFileSync(file, yamlOf(kind, documents))
        data.push({ file, count: documents.length })
      }
      return { data, text: data.map(({ file, count }) => `${file}: ${count}`).join('\n') }
    },
  }),
]

function failure(made: readonly Change[], planned: readonly Change[]): string {
  const next = planned[made.length]
  const at = next ? ` ${next.what} ${next.kind}${next.name && ` ${next.name}`} failed:` : ''
  return `${made.length} of ${planned.length} changes were made.${at}`
}

/** Secrets are not written: where the channel does not exist yet, its file needs one. */
const secretNote = '# To create a chat channel elsewhere, add to its config: webhookURL: ${env:NAME}\n'

function yamlOf({ kept }: Kind, documents: readonly Members[]): string {
  return (kept ? secretNote : '') + documents.map((one) => dump(one, { lineWidth: 110 })).join('---\n')
}
