/** Strings that people may read, taken from the sources themselves: literals, templates and the console's markup. */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { parse } from 'acorn'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { root } from '#config/process/root.ts'

const folders = ['engine', 'streams', 'analytics', 'actors', 'http', 'config']

/** What we do not write, each with what we write instead. */
const avoided: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bbehind (?!a proxy|a load balancer|it\b|an? figure|this figure|these figures|this amount|the costs)/i, 'after'],
  [/\bbeside\b/i, 'compared with, next to'],
  [/\bdear(er|est)?\b/i, 'expensive'],
  [/\b(is|are|was|were|be|been) told\b|\btells? of\b|\btold of\b/i, 'notified, reported'],
  [/\basked for\b|\bis asked\b|\bare asked\b/i, 'requested'],
  [/\bwhoever\b|\bwhatever\b/i, 'anyone who, any'],
  [/\bbegun\b/i, 'started'],
  [/\bgoes on\b|\bgo on\b/i, 'continues'],
  [/\bit is said\b|(?<!that )\bsays so\b(?!\.)/i, 'reports'],
  [/\bset aside\b/i, 'dead-lettered'],
  [/\bhanded out\b|\bhands? out\b/i, 'allocated, distributed'],
  [/\b(comes?|came|coming) to \$|\bcomes? to\b/i, 'totals'],
  [/\blooked at\b/i, 'evaluated, checked'],
  [/\bworked out\b|\bworks? out\b/i, 'computed'],
  [/\bof nobody\b|\bof none\b/i, 'unallocated, none'],
  [/\bfour times of five\b/i, '80% confidence'],
  [/\bas usual\b/i, 'default'],
  [/\bwith before\b/i, 'vs previous period'],
  [/\bwhat is unusual\b/i, 'anomalies'],
  [/\bone row a\b/i, 'group by'],
  [/\bcould be saved\b/i, 'potential savings'],
  [/\b(seen|proved) by (the )?bills?\b/i, 'observed, verified'],
  [/\bcarried out\b/i, 'run, applied'],
  [/\bbecomes of\b/i, 'set status'],
  [/\bfires next\b|\bfired last\b/i, 'next run, last run'],
  [/\bon the clock of\b/i, 'in time zone'],
  [/\btier by tier\b/i, 'in tier order'],
  [/\blook only\b/i, 'read-only'],
  [/\ba press on\b/i, 'click'],
  [/\bIt must be\b/, 'Enter a ...'],
  [/(?<!\bthere )\b(is|are) no (?!longer\b|more\b|other\b|such\b)[a-z]+/i, 'is not a ...; there is no ...'],
]

/** Sentences that are right as they are, by a part of each. */
const allowed: readonly string[] = [
  // The value of a state in the API.
  'begun: started',
]

interface Node {
  type: string
  value?: unknown
  quasi?: Node
  quasis?: Node[]
  [member: string]: unknown
}

const compiled = (file: string, source: string): string =>
  file.endsWith('.tsx') ? transformSync(source, { loader: 'tsx', jsx: 'automatic' }).code : stripTypeScriptTypes(source)

/** Every text of at least two words in a source, markup taken out. */
function textsOf(file: string, source: string): string[] {
  const texts: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    if (node.type === 'Literal' && typeof node.value === 'string') texts.push(node.value)
    if (node.type === 'TemplateLiteral')
      texts.push(node.quasis!.map(({ value }) => (value as { cooked: string | null }).cooked ?? '').join(' … '))
    if (node.type !== 'ImportDeclaration') Object.values(node).forEach(visit)
  }
  visit(parse(compiled(file, source), { ecmaVersion: 'latest', sourceType: 'module' }))
  return texts
    .flatMap((text) => text.split(/<[^<>]*>/))
    .filter((text) => (text.match(/[a-z]{2,}/gi) ?? []).length > 1 && /\s/.test(text.trim()))
}

/** Reading a source as a program takes a hundred times as long as looking through its lines. */
function isSuspicious(source: string): boolean {
  const lines = source.split('\n').filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
  // Markup breaks a sentence anywhere.
  const text = lines.map((line) => line.trim()).join(' ')
  return avoided.some(([pattern]) => pattern.test(text))
}

describe('the words people read', () => {
  it('are none of those that the style guide replaces', () => {
    const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }))
    const sources = files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)
    const found = sources
      .filter(([, source]) => isSuspicious(source))
      .flatMap(([file, source]) =>
        textsOf(file, source).flatMap((text) =>
          avoided
            .filter(([pattern]) => pattern.test(text) && !allowed.some((part) => text.includes(part)))
            .map(
              ([pattern, better]) =>
                `${file}: ${pattern.exec(text)![0]} -> ${better}: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 160)}`,
            ),
        ),
      )
    expect(files.length).to.be.above(1000)
    expect(found).to.deep.equal([])
  })

  it('are found in literals, templates and markup', () => {
    const source =
      "const a = 'one word'; f(`made ${a} anew`); b = <p title=\"x\">{a}<b>goes\n  on</b> and</p>; import c from './two words.ts'"
    expect(textsOf('a.tsx', source)).to.deep.equal(['one word', 'made  …  anew', 'goes on'])
  })
})
