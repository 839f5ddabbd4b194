/** Builds commands: one that is a function of what was typed, one of an organization, and one that carries out a route of the API. */
import { withInstance, type Instance } from '#config/product/instance.ts'
import { UsageError, type Command, type Invocation, type Result } from './command.ts'
import { defaultOrg } from './default-org.ts'
import { withOrganization } from './engine.ts'
import { remoteApi } from './remote.ts'
import { localApi } from './route.ts'
import { aboutOf, usageOf, type Flag, type Flags, type FlagValues } from './flag.ts'
import type { Api, RouteInput } from './api.ts'
import { currentProfile, localName, selectedProfile } from '#config/settings/profile.ts'

interface Description<F extends Flags> {
  /** One or two words. */
  name: string
  summary: string
  takes: F
  /** What is typed after the name, where it is not all that is taken in order. */
  usage?: string
  /** Prints a table, which `--csv` prints as CSV; default: its name ends with list. */
  isTable?: boolean
  /** What exit codes mean, as `--help` prints it, where they say more than of other commands. */
  exitCodes?: Readonly<Record<string, string>>
}

type Outcome = Promise<Result> | Result

/** A command that runs without an organization. What is wrong is refused before it runs. */
export function command<F extends Flags>({
  name,
  summary,
  takes,
  usage: typed = usageOf(takes).slice(1),
  isTable = name.endsWith(' list'),
  exitCodes,
  run,
}: Description<F> & { run: (given: FlagValues<F>, invocation: Invocation) => Outcome }): Command {
  const usage = `tidemark ${name}${typed && ` ${typed}`}`
  const flags = Object.entries(takes).filter(([, { isArgument }]) => !isArgument)
  return {
    name,
    summary,
    usage,
    isTable,
    positionals: mostArguments(takes),
    options: Object.fromEntries(flags.map(([flag, one]) => [flag, optionOf(one)])),
    about: { ...aboutOf(takes), ...exitCodes },
    run: async (invocation) => run(readAll(takes, usage, invocation), invocation),
  }
}

function mostArguments(takes: Flags): number {
  const all = Object.values(takes).filter(({ isArgument }) => isArgument)
  return all.some(({ isRepeated }) => isRepeated) ? Infinity : all.length
}

const optionOf = ({ value, isRepeated }: Flag<unknown>): Command['options'][string] => ({
  type: value === undefined ? 'boolean' : 'string',
  ...(isRepeated && { multiple: true }),
})

/** @throws UsageError naming the first that is missing or wrong */
function readAll<F extends Flags>(takes: F, usage: string, { values, positionals }: Invocation): FlagValues<F> {
  const places = positionals.values()
  const all = Object.entries(takes).map(([name, { value, isArgument, isRepeated, read }]) => {
    if (!isArgument) return [name, read(values[name], `--${name}`, usage)]
    return [name, read(isRepeated ? [...places] : places.next().value, value!, usage)]
  })
  return Object.fromEntries(all) as FlagValues<F>
}

/** A command that opens the stores. */
export const storeCommand = <F extends Flags>({
  run,
  ...description
}: Description<F> & { run: (instance: Instance, given: FlagValues<F>) => Promise<Result> }): Command =>
  command({
    ...description,
    run: (given) => {
      checkLocal(description.name)
      return withInstance((instance) => run(instance, given))
    },
  })

/** @throws UsageError if commands go elsewhere: they would seem to be carried out there */
export function checkLocal(name: string): void {
  const profile = selectedProfile()
  if (profile)
    throw new UsageError(
      `"${name}" works on the stores of the product itself, but ${profile.name} (${profile.url}) is selected. On the product's machine, set TIDEMARK_PROFILE=${localName}.`,
    )
}

type OrgFlags = Flags & { org: Flag<string> }

/** A command on one organization, that of `--org`. */
export const orgCommand = <F extends OrgFlags>({
  run,
  ...description
}: Description<F> & { run: (instance: Instance, orgId: string, given: FlagValues<F>) => Promise<Result> }): Command =>
  command({
    ...description,
    run: (given) => {
      checkLocal(description.name)
      // Empty where only TIDEMARK_URL says where commands of the API go.
      const named = (given.org as string) || defaultOrg()?.id
      if (named === undefined) throw new UsageError(`"${description.name}" needs --org.`)
      return withOrganization(named, (instance, orgId) => run(instance, orgId, given))
    },
  })

/** Runs `work` with the API of the selected profile, otherwise with this machine's own for `org`. */
export function withApi<T>(org: string, work: (api: Api) => Promise<T>): Promise<T> {
  const profile = currentProfile()
  if (profile) return work(remoteApi({ ...profile, org: org || profile.org }))
  return withOrganization(org, (instance, orgId) => work(localApi(instance, orgId)))
}

/** A command that only asks the API: of the selected profile, otherwise of this machine for the organization of `--org`. */
export const askCommand = <F extends OrgFlags>({
  run,
  ...description
}: Description<F> & { run: (api: Api, given: FlagValues<F>) => Promise<Result> }): Command =>
  command({ ...description, run: (given) => withApi(given.org as string, (api) => run(api, given)) })

interface RouteDescription<F extends Flags, T> extends Description<F> {
  /** `METHOD /path`, as the route declares it. */
  route: string
  /** What of the input is path, query and body; default nothing. */
  ask?: (given: FlagValues<F>) => RouteInput
  /** What is printed of the answer. */
  show: (answer: T, given: FlagValues<F>) => Result
}

/** A command that is one route of the API. */
export const routeCommand = <F extends OrgFlags, T>({
  route,
  ask = () => ({}),
  show,
  ...description
}: RouteDescription<F, T>): Command =>
  askCommand({ ...description, run: async (api, given) => show(await api.ask<T>(route, ask(given)), given) })
