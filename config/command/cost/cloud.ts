import { UsageError } from '#config/command/line/command.ts'
import { optionalArgument, readAs } from '#config/command/line/flag.ts'

/** A cloud, as an argument. */
export const cloud = <const C extends string>(clouds: readonly C[], about: string) =>
  readAs(optionalArgument(clouds.join('|'), about), (given, _, usage): C => {
    const known = clouds.find((one) => one === given)
    if (known !== undefined) return known
    throw new UsageError(`Cloud must be one of ${clouds.join(', ')}${given ? `, got ${given}` : ''}. Usage: ${usage}`)
  })
