import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { optional, toggle } from '#config/command/line/flag.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import { withInstance } from '#config/product/instance.ts'

/** How long the engines of a running product are given to take what they were told, milliseconds. */
const toldMs = 15_000
const pollMs = 100

const usage = '[--only signing|credentials] [--revoke]'

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Rotate the signing key for access tokens and the encryption key for stored secrets',
  usage,
  takes: {
    only: optional('KEY', 'Rotate only this key: signing or credentials'),
    revoke: toggle('Reject tokens signed with older keys, within five seconds; clients must refresh'),
  },
  run: ({ only, revoke }) => {
    if (only !== undefined && only !== 'signing' && only !== 'credentials')
      throw new UsageError(`--only must be signing or credentials. Usage: tidemark keys rotate ${usage}`)
    if (only === 'credentials' && revoke)
      throw new UsageError('--revoke applies to the signing key and cannot be combined with --only credentials')
    return withInstance(async ({ connections, isRunning, product: made }) => {
      const product = made()
      const credentials = only === 'signing' ? undefined : await rotateCredentials(connections, product, isRunning)
      const kid = only === 'credentials' ? undefined : await product.get(tokens.identity).keys.rotate(revoke)
      const data = { ...(kid !== undefined && { kid }), ...(credentials && { credentials }) }
      const text = [
        ...(kid === undefined ? [] : [`New signing key: ${kid}.`]),
        ...(credentials ? [toldOf(credentials)] : []),
      ]
      return { data, text: text.join('\n') }
    })
  },
})

interface KeyRotation {
  /** The key that seals from now on. */
  key: string
  /** Whether it was made just now; else one was there that had not been brought to its end, or it is a setting. */
  isNew: boolean
  /** Whether the key is the setting CREDENTIALS_KEY. */
  isSetting: boolean
  resealed: number
  /** Values that are still under older keys. */
  left: number
  unopened: number
}

/** What was begun before and not brought to its end is gone on with: no further key is made. */
async function rotateCredentials(c: Connections, product: Product, isRunning: boolean): Promise<KeyRotation> {
  const { addKey, leftOver, reseal } = await import('#config/upkeep/reseal.ts')
  const { dataDir, credentialsKey } = c.settings
  const isSetting = credentialsKey !== undefined
  const keys = product.get(tokens.keys)
  const isUnderWay = keys().length > 1 && (await leftOver(c, product)) > 0
  const isNew = !isSetting && !isUnderWay
  if (isNew) await addKey(c, dataDir, new Date(c.clock.now()))
  const counts = await reseal(c, product)
  const sum = (of: 'done' | 'told' | 'unopened') => counts.reduce((all, count) => all + count[of], 0)
  const late = performance.now() + toldMs
  let left = await leftOver(c, product)
  while (isRunning && left > sum('unopened') && sum('told') > 0 && performance.now() < late) {
    await sleep(pollMs)
    left = await leftOver(c, product)
  }
  const resealed = sum('done') + sum('told') - Math.max(0, left - sum('unopened'))
  return { key: keys()[0]!.id, isNew, isSetting, resealed, left, unopened: sum('unopened') }
}

function toldOf({ key, isNew, isSetting, resealed, left, unopened }: KeyRotation): string {
  const begun = isNew
    ? 'is new'
    : isSetting
      ? 'is the first of CREDENTIALS_KEY'
      : 'was created earlier and is still in use'
  const waiting = left - unopened
  return [
    `The credentials key ${key} ${begun}; ${resealed} values were re-encrypted.`,
    ...(waiting > 0
      ? [`${waiting} more will be re-encrypted when an engine runs. Run the same command again to check.`]
      : []),
    ...(unopened > 0 ? [`${unopened} values cannot be decrypted with any known key and were left unchanged.`] : []),
    ...(isSetting && left === 0 ? ['You can remove all keys after the first from CREDENTIALS_KEY in one day.'] : []),
    ...(!isSetting ? ['The previous key is removed from the data folder one day after its last use.'] : []),
  ].join('\n')
}
