/** The environment of a resource that people accepted. */
import type { Environment } from '#streams/tagging.ts'
import { environmentIn } from './predict.ts'

/** From accepted smart tags, otherwise from an accepted suggestion (decision G-43). Empty for none. */
export function acceptedEnv(smart: Readonly<Record<string, string>>, auto: { env?: string }): Environment | '' {
  const said = ['environment', 'env', 'stage'].map((key) => environmentIn(smart[key] ?? '')).find((env) => env)
  return said ?? environmentIn(auto.env ?? '') ?? ''
}
