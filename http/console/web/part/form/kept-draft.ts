/** What is typed and not sent yet, kept in this tab over reload and navigation, for one person in one organization. */
import { viewerKey } from '../../session.ts'

const prefix = 'draft '
const keyOf = (name: string): string => `${prefix}${name} ${viewerKey()}`

/** What was typed before; undefined where nothing was. */
export function readDraft<D extends object>(name: string, base: D): Partial<D> | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') as Record<string, unknown> | null
    if (kept === null || typeof kept !== 'object') return undefined
    // Of a form as it is now: what it no longer has is left out.
    const known = Object.entries(kept).filter(([key]) => key in base)
    return known.length > 0 ? (Object.fromEntries(known) as Partial<D>) : undefined
  } catch {
    return undefined
  }
}

/** @param changed what differs from what the form was opened with; nothing of it: nothing is kept */
export function keepDraft(name: string, changed: object): void {
  if (Object.keys(changed).length === 0) sessionStorage.removeItem(keyOf(name))
  else sessionStorage.setItem(keyOf(name), JSON.stringify(changed))
}
