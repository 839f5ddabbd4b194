import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { consoleFiles } from '#config/process/console-files.ts'

const web = path.join(root, 'http/console/web')
const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).toSorted()
const read = (name: string): string => readFileSync(path.join(web, name), 'utf8')
const modules = files.filter((name) => /\.tsx?$/.test(name)).map(read)
const sheets = files.filter((name) => name.endsWith('.css'))

interface Rule {
  selector: string
  body: string
}

/** Rules of a sheet, or of what stands within one. */
function rulesOf(css: string): Rule[] {
  const found: Rule[] = []
  let [depth, from, open] = [0, 0, 0]
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{' && depth++ === 0) open = at
    if (css[at] === '}' && --depth === 0) {
      found.push({ selector: css.slice(from, open).trim(), body: css.slice(open + 1, at) })
      from = at + 1
    }
  }
  return found
}

const withoutComments = (css: string): string => css.replaceAll(/\/\*[^]*?\*\//g, '')
const isWithin = ({ selector }: Rule): boolean => /^@(media|supports)/.test(selector)

/** Selectors of a sheet, each beside the condition under which it holds. */
function selectorsOf(css: string): { when: string; selector: string }[] {
  const [within, plain] = [rulesOf(css).filter(isWithin), rulesOf(css).filter((one) => !isWithin(one))]
  const conditional = within.flatMap(({ selector: when, body }) =>
    rulesOf(body).map(({ selector }) => ({ when, selector })),
  )
  return [...plain.map(({ selector }) => ({ when: '', selector })), ...conditional].map(({ when, selector }) => ({
    when,
    selector: selector.replaceAll(/\s+/g, ' '),
  }))
}

const all = sheets.flatMap((name) => selectorsOf(withoutComments(read(name))))

/** What stands behind `class=`: text, or an expression up to its brace. */
function classTexts(code: string): string[] {
  return Array.from(code.matchAll(/\bclass(?:=|: )("[^"]*"|'[^']*'|`[^`]*`|\{)/g), ({ 0: head, 1: text, index }) => {
    if (text !== '{') return text!
    let [depth, at] = [1, index + head.length]
    const from = at
    for (; depth > 0 && at < code.length; at++) depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0
    return code.slice(from, at - 1)
  })
}

const attributes = modules.flatMap(classTexts)
const named = new Set(attributes.flatMap((text) => text.match(/[\w-]+/g) ?? []))
/** What classes may be given by name elsewhere: a badge's look by its state. */
const texts = new Set(modules.flatMap((code) => Array.from(code.matchAll(/'([a-z][\w-]*)'/g), ([, text]) => text!)))
/** `c${n}`: any number behind it. */
const numbered = new Set(attributes.flatMap((text) => Array.from(text.matchAll(/([a-z-]+)\$\{/g), ([, stem]) => stem!)))

/** Alone it must stand in markup; beside another class of the same element it may be given by name. */
const isGiven = (name: string, isBeside: boolean): boolean =>
  named.has(name) || numbered.has(name.replace(/\d+$/, '')) || (isBeside && texts.has(name))

describe('the style sheets of the console', () => {
  it('name no class that no module gives', () => {
    const dead = all.flatMap(({ selector }) =>
      (selector.match(/[^\s,>+~]+/g) ?? []).flatMap((compound) => {
        const names = Array.from(compound.matchAll(/\.([a-zA-Z][\w-]*)/g), ([, name]) => name!)
        return names.filter((name) => !isGiven(name, names.length > 1)).map((name) => `${name} of ${selector}`)
      }),
    )
    expect(dead).to.deep.equal([])
  })

  it('say what an element looks like once', () => {
    const keys = all.map(({ when, selector }) => `${when} ${selector}`)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).to.deep.equal([])
  })

  it('use each colour that is named, and name each that is used', () => {
    const css = sheets.map(read).join('\n')
    const drawn = [css, ...modules].join('\n')
    const defined = new Set(Array.from(css.matchAll(/^\s+(--[\w-]+):/gm), ([, name]) => name!))
    const used = new Set(Array.from(css.matchAll(/var\((--[\w-]+)/g), ([, name]) => name!))
    expect([...used].filter((name) => !defined.has(name))).to.deep.equal([])
    expect([...defined].filter((name) => !drawn.includes(`(${name}`) && !drawn.includes(`'${name}`))).to.deep.equal([])
  })

  it('are all of the one that the page names', async () => {
    const imported = Array.from(read('style.css').matchAll(/^@import '\.\/([^']+)';$/gm), ([, name]) => name!)
    expect(imported.toSorted()).to.deep.equal(sheets.filter((name) => name !== 'style.css'))
    const { page, files: bundled } = await consoleFiles()
    const sent = bundled.get(page.style)!.toString()
    const classes = all.flatMap(({ selector }) => selector.match(/\.[a-zA-Z][\w-]*/g) ?? [])
    expect(classes.filter((name) => !sent.includes(name))).to.deep.equal([])
    expect(sent).not.to.include('@import')
  })
})
