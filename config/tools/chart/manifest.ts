/** Manifests of `config/deploy` as objects, and the templates that they become. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { dump, loadAll } from 'js-yaml'
import { root } from '#config/process/root.ts'

export type Tree = Record<string, unknown>
export type Path = readonly (string | number)[]

export const manifest = (name: string): string => readFileSync(path.join(root, 'config', 'deploy', name), 'utf8')

export const documentsOf = (name: string): Tree[] => loadAll(manifest(name)) as Tree[]

/** The first object of this kind. @throws Error if the manifest no longer has one */
export function documentOf(name: string, kind: string): Tree {
  const found = documentsOf(name).find((one) => one['kind'] === kind)
  if (!found) throw new Error(`config/deploy/${name} no longer contains a ${kind}`)
  return found
}

export const get = (tree: unknown, at: Path): unknown =>
  at.reduce<unknown>((inside, key) => (inside as Tree | undefined)?.[key], tree)

/** @throws Error if the manifest has no such place */
export function set(tree: unknown, at: Path, value: unknown): void {
  const parent = get(tree, at.slice(0, -1))
  if (typeof parent !== 'object' || parent === null) throw new Error(`A manifest no longer contains ${at.join('.')}`)
  ;(parent as Tree)[at.at(-1)!] = value
}

/** Text of a template in place of a member, which is at this column under this key. */
export type Piece = (column: number, key: string) => string

/** The value under its key; without the key if it is empty. */
export const block =
  (value: string): Piece =>
  (column, key) =>
    `{{- with ${value} }}\n${' '.repeat(column)}${key}: {{- toYaml . | nindent ${column + 2} }}\n{{- end }}`

/** The same for a text. */
export const optionalText =
  (value: string): Piece =>
  (column, key) =>
    `{{- with ${value} }}\n${' '.repeat(column)}${key}: {{ . | quote }}\n{{- end }}`

/** More members beside those of the manifest. */
export const members =
  (value: string): Piece =>
  (column) =>
    `{{- with ${value} }}\n{{- toYaml . | nindent ${column} }}\n{{- end }}`

/** The member under a condition. */
export const onlyIf =
  (condition: string, value: string): Piece =>
  (column, key) =>
    `{{- if ${condition} }}\n${' '.repeat(column)}${key}: {{ ${value} }}\n{{- end }}`

/** Turns objects with marks into the text of a template. */
export class Template {
  private readonly pieces: Piece[] = []
  private readonly expressions: string[] = []

  /** A value that stands for a whole member. */
  member(piece: Piece): string {
    return `MEMBER_${this.pieces.push(piece) - 1}_`
  }

  /** Text of an expression, anywhere in a value. */
  inline(expression: string): string {
    return `INLINE_${this.expressions.push(expression) - 1}_`
  }

  print(tree: Tree): string {
    return escapeBraces(dump(tree, { lineWidth: -1, noRefs: true }))
      .replaceAll(/^( *)([\w.-]+): MEMBER_(\d+)_$/gm, (_, spaces: string, key: string, n: string) =>
        this.pieces[Number(n)]!(spaces.length, key),
      )
      .replaceAll(/INLINE_(\d+)_/g, (_, n: string) => `{{ ${this.expressions[Number(n)]!} }}`)
  }
}

/** Escapes braces in a manifest, which Helm would interpret. */
export const escapeBraces = (text: string): string =>
  text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ ${JSON.stringify(braces)} }}`)

export const indentLines = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)

/** The text with another in place of a part. @throws Error if the part is gone */
export function replaceText(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`A manifest no longer contains "${part}"`)
  return text.replaceAll(part, () => by)
}
