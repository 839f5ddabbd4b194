/** Products that the command line can be pointed to: their addresses and tokens, saved for the user of this machine. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readSettings } from './settings.ts'

export interface Profile {
  name: string
  url: string
  token: string
  /** The organization; undefined for a token, which has one. */
  org?: string | undefined
}

interface ProfileFile {
  /** Name of the profile that commands use; undefined: this machine's own product. */
  current?: string
  profiles: Readonly<Record<string, Omit<Profile, 'name'>>>
}

/** The name that stands for this machine's own product. */
export const localName = 'local'

const fileName = (): string => {
  const { configHome } = readSettings()
  return path.join(configHome || path.join(os.homedir(), '.config'), 'tidemark', 'profiles.json')
}

/** @throws Error naming the file, if it is not one of ours */
export function readProfiles(): ProfileFile {
  const file = fileName()
  if (!fs.existsSync(file)) return { profiles: {} }
  try {
    const content = JSON.parse(fs.readFileSync(file, 'utf8')) as ProfileFile
    if (typeof content.profiles === 'object') return content
  } catch {
    // Said below.
  }
  throw new Error(`${file} cannot be read. Correct or delete it, then add the profiles again.`)
}

/** Only the user can read it, because it has tokens. */
export function writeProfiles(content: ProfileFile): void {
  const file = fileName()
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  fs.chmodSync(file, 0o600)
}

/**
 * The product that commands of users go to: `TIDEMARK_URL` with `TIDEMARK_TOKEN`, otherwise the profile of
 * `TIDEMARK_PROFILE`, otherwise the one of `tidemark profile use`. Undefined: this machine's own.
 * @throws Error for a profile that does not exist, and for an address without a token
 */
export function currentProfile(): Profile | undefined {
  const { remoteUrl, token } = readSettings()
  if (remoteUrl === undefined) return selectedProfile()
  if (token === undefined) throw new Error('TIDEMARK_URL is set, so TIDEMARK_TOKEN must be set too.')
  return { name: 'TIDEMARK_URL', url: remoteUrl, token }
}

/** The profile of `TIDEMARK_PROFILE`, otherwise of `tidemark profile use`. @throws Error if it does not exist */
export function selectedProfile(): Profile | undefined {
  const { profile: asked } = readSettings()
  if (asked === localName) return undefined
  const { current, profiles } = readProfiles()
  const name = asked ?? current
  if (name === undefined) return undefined
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!found) throw new Error(`There is no profile ${name}. Run "tidemark profile list" to see all.`)
  return { name, ...found }
}
