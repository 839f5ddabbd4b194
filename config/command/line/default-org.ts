/** The organization of commands that are given no `--org`, as `tidemark config set org` saved it in the data folder. */
import fs from 'node:fs'
import path from 'node:path'
import { readSettings } from '#config/settings/settings.ts'

export interface DefaultOrg {
  id: string
  name: string
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'command.json')

export function defaultOrg(): DefaultOrg | undefined {
  const file = fileIn(readSettings().dataDir)
  if (!fs.existsSync(file)) return undefined
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { org?: DefaultOrg }).org
}

export function saveDefaultOrg(dataDir: string, { id, name }: DefaultOrg): void {
  fs.mkdirSync(dataDir, { recursive: true })
  fs.writeFileSync(fileIn(dataDir), `${JSON.stringify({ org: { id, name } }, undefined, 2)}\n`)
}

export function removeDefaultOrg(): void {
  fs.rmSync(fileIn(readSettings().dataDir), { force: true })
}
