/**
 * One scan of a cloud account, the same for all clouds: finders run side by side, each lists some types. What was denied
 * or lost is not seen, and the rest is; a scan ends early only if the cloud no longer accepts the credentials.
 */
import { Fault } from '#engine/value/fault.ts'
import {
  bucketOf,
  cloudFault,
  isCredentialsRefused,
  type CloudAccount,
  type DiscoveredResource,
  type Discovery,
} from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { lossMessage, type Loss } from './loss.ts'

export type Pages = AsyncIterable<DiscoveredResource[]>

export interface ScanScope {
  signal: AbortSignal | undefined
  /** Types to find; undefined: all. */
  only: ReadonlySet<string> | undefined
}

/** One finder at work. */
interface FinderRun<S> {
  session: S
  pages: Pages
  /** Asked once all pages were read. */
  seen: () => readonly ScanCoverage[]
  /** What is lost by a fault; undefined: nothing, there was nothing to find. */
  lossOf: (fault: Fault) => Loss | undefined
}

/** Maximum resources of one scan. */
const resourcesMax = 1_000_000

/** The permission that a fault says is missing. */
export function permissionIn(error: unknown): string | undefined {
  const { code, detail } = error as { code?: string; detail?: { permission?: unknown } }
  return code === 'permission_missing' && typeof detail?.permission === 'string' ? detail.permission : undefined
}

export abstract class Scan<S> implements Discovery {
  readonly pages: Pages
  protected readonly account: CloudAccount
  protected readonly only: ReadonlySet<string> | undefined
  protected readonly seenParts: ScanCoverage[] = []
  protected readonly missing = new Set<string>()
  private readonly losses: Loss[] = []
  private readonly lostForNow = new Set<string>()
  protected readonly remarks: string[] = []
  private readonly signal: AbortSignal | undefined
  private readonly stop = new AbortController()
  private isComplete = false

  constructor(account: CloudAccount, { signal, only }: ScanScope) {
    this.account = account
    this.signal = signal
    this.only = only
    this.pages = this.scan()
  }

  /** Nothing until all pages are read. */
  get seen(): readonly ScanCoverage[] {
    return this.isComplete ? this.seenParts : []
  }

  get missingPermissions(): readonly string[] {
    return [...this.missing].toSorted()
  }

  get message(): string | undefined {
    return lossMessage(this.losses, this.remarks)
  }

  get lostTypes(): readonly string[] {
    return [...this.lostForNow].filter((type) => this.only?.has(type) ?? true).toSorted()
  }

  /** Without a fault: the cloud did not respond. */
  protected lose(loss: Loss, fault?: Fault): void {
    this.losses.push(loss)
    const isPassing = fault === undefined || bucketOf(fault) === 'transient' || fault.code === 'unknown_answer'
    if (isPassing) for (const type of loss.types) this.lostForNow.add(type)
  }

  /** A session that ends by the signal. */
  protected abstract open(signal: AbortSignal): S
  /** All pages, of finders side by side. */
  protected abstract parts(session: S): Pages
  /** The regions that a scan of an account limited to some regions covers, including those of global resources. */
  protected abstract covered(): readonly string[]
  /** The cloud's own word for an account, used in messages. */
  protected abstract readonly noun: string

  protected close(_session: S): void {}

  /** Whether the scan ends: the cloud no longer accepts the credentials. */
  protected endsBy(fault: Fault, _session: S): boolean | Promise<boolean> {
    return isCredentialsRefused(fault)
  }

  /** What of a page is reported. Answers may name a resource twice: the last one counts. */
  protected reported(page: readonly DiscoveredResource[]): DiscoveredResource[] {
    const distinct = new Map(page.map((one) => [one.resourceUid, one]))
    return [...distinct.values()].filter(({ type }) => this.only?.has(type) ?? true)
  }

  /** The pages of one finder, which counts as seen once the last of them was read. */
  protected async *read({ session, pages, seen, lossOf }: FinderRun<S>): AsyncGenerator<DiscoveredResource[]> {
    try {
      for await (const page of pages) yield this.reported(page)
      this.seenParts.push(...this.requested(seen()))
    } catch (error) {
      if (!(error instanceof Fault) || (await this.endsBy(error, session))) {
        this.stop.abort()
        throw error
      }
      const permission = permissionIn(error)
      if (permission !== undefined) this.missing.add(permission)
      const loss = lossOf(error)
      if (loss) this.lose(loss, error)
    }
  }

  /** Resources of types that were not requested are not reported, so these types do not count as seen. */
  private requested(parts: readonly ScanCoverage[]): ScanCoverage[] {
    const { only } = this
    if (!only) return [...parts]
    return parts
      .map((part) => ({ ...part, types: part.types.filter((type) => only.has(type)) }))
      .filter(({ types }) => types.length > 0)
  }

  private async *scan(): AsyncGenerator<DiscoveredResource[]> {
    const { signal } = this.stop
    try {
      const session = this.open(this.signal ? AbortSignal.any([this.signal, signal]) : signal)
      try {
        yield* this.limited(this.parts(session))
      } finally {
        this.close(session)
      }
      if (this.account.regions.length > 0 && !this.only)
        this.seenParts.push({ types: [], regions: [], outsideOf: [...this.covered()] })
      this.isComplete = true
    } catch (error) {
      if (!this.signal?.aborted) throw error
    }
  }

  /** Stops all calls in progress when the reader stops. */
  private async *limited(pages: Pages): AsyncGenerator<DiscoveredResource[]> {
    let count = 0
    for await (const page of pages) {
      count += page.length
      let isTaken = count <= resourcesMax
      try {
        if (!isTaken) throw this.tooMany()
        isTaken = false
        if (page.length > 0) yield page
        isTaken = true
      } finally {
        if (!isTaken) this.stop.abort()
      }
    }
  }

  private tooMany(): Fault {
    const message = `The ${this.noun} has more than ${resourcesMax} resources.`
    return cloudFault('user_action', 'too_many_resources', message, {
      fixHint: 'Limit the regions of the account: PATCH /cloud-accounts/{cloudAccountID}.',
    })
  }
}
