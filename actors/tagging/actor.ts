import { acceptedTag } from '#analytics/tagging/tables.ts'
import { allocationKey } from '#actors/attribution/allocation/allocation.ts'
import { allocations } from '#analytics/attribution/projections.ts'
import { appendChange } from '#actors/resource/change.ts'
import { faultOf, goneAt, isBuried, isOlder } from '#actors/resource/observation-order.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { powerTold } from '#streams/action/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { envSettled } from '#streams/recommendation.ts'
import { smartTagDecided, suggestionDecided, tagLook, type Environment } from '#streams/tagging.ts'
import { derive } from '#actors/tagging/policy/derive.ts'
import { ResourceTagging } from './entity.ts'
import { factsOf, hashOf, neighbourhoodOf, networkIn, selectable, type TagFacts } from './facts.ts'
import { taggingNeeds, type TaggingNeeds } from './needs.ts'
import { acceptedEnv } from '#actors/tagging/suggestion/environment.ts'
import { predict, signalsOf } from '#actors/tagging/suggestion/predict.ts'
import { decideSmart, entryOf, takeDerived } from '#actors/tagging/policy/smart-tag.ts'
import { leansOf, stands } from '#actors/tagging/suggestion/leaning.ts'
import { autoTags, decide, noSuggestion, suggest, suggestionOf } from '#actors/tagging/suggestion/suggestion.ts'

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

/** Columns of a resource that does not exist: everything except what was last sent to the reports. */
const nothing = () => ({
  ...noSuggestion(),
  signals: {},
  evidenceEnv: '' as const,
  parentUid: '',
  neighbourhood: '',
  factsHash: '',
  parentEnv: '' as const,
  topologyEnv: '' as const,
  derived: {},
  derivedBy: {},
  leftOut: [],
  accepted: {},
  policyVersion: 0,
})

/** Predicted and derived tags of one cloud resource. */
export const taggingActor = defineActor({
  kind: 'tagging',
  entity: ResourceTagging,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: ({ orgId, place, key }) => ({
    id: uuidOf('suggestion', orgId, place, key),
    ...nothing(),
    shownSmart: {},
    shownAuto: {},
    observedAt: new Date(0),
    deletedAt: null,
  }),
  needs: taggingNeeds,
  reactions: (on) => [
    on(
      resourceDiscovered,
      ofResource,
      (row, found, turn) => {
        const { time } = turn.message
        if (isOlder(row, time) || isBuried(row, time)) return turn.ignore()
        if (!faultOf(found)) observe(row, factsOf(found, networkIn(row.neighbourhood)), time, turn)
      },
      { follows: 'resource', echo: { role: 'follows', passing: ['observedAt'], leans: leansOf, stands } },
    ),

    on(
      resourceDeleted,
      ofResource,
      (row, gone, turn) => {
        const at = goneAt(gone, turn)
        if (isOlder(row, at)) return
        row.observedAt = at
        if (!row.deletedAt) Object.assign(row, nothing(), { deletedAt: turn.message.time })
      },
      { follows: 'resource' },
    ),

    on(powerTold, ofResource, takePower, { existing: true }),

    on(tagLook, ofResource, (row, { found }, turn) => {
      if (!found) return look(row, turn)
      const at = new Date(found.observedAt)
      if (!isOlder(row, at) && !isBuried(row, at)) observe(row, found.facts, at, turn)
    }),

    on(suggestionDecided, ofResource, (row, decision, turn) => {
      decide(row, decision, turn.now)
      const { predictedEnv, predictedNoStop, extraTags } = row
      const { status, userId } = decision
      note({ suggestion: { status, predictedEnv, predictedNoStop, extraTags }, userId }, turn)
      show(row, turn)
      turn.reply(suggestionOf(row))
    }),

    on(smartTagDecided, ofResource, (row, decision, turn) => {
      const { accepted: from } = row
      decideSmart(row, decision)
      if (!sameData(from, row.accepted)) note({ smartTags: { from, to: row.accepted }, userId: decision.userId }, turn)
      show(row, turn)
      turn.reply(entryOf(row))
    }),
  ],
})

/** The state that a cloud reports at the end of an action is an observation, but only of the power state. */
function takePower(row: ResourceTagging, { shows, observed, at }: Static<typeof powerTold.schema>): void {
  const time = new Date(at)
  if (shows === null && observed !== undefined && !row.deletedAt && !isOlder(row, time)) row.observedAt = time
}

/** Takes facts that are at least as new as the known ones. */
function observe(row: ResourceTagging, facts: TagFacts, at: Date, turn: Turn<TaggingNeeds>): void {
  const { place: cloudAccountId, key: resourceUid } = turn.address
  const isNewParent = row.parentUid !== facts.parentUid
  const parentEnv = parentOf(facts.parentUid, turn)
  const topologyEnv = topologyOf(row, neighbourhoodOf(facts), turn)
  Object.assign(row, { observedAt: at, deletedAt: null, parentEnv: parentEnv ?? '', topologyEnv })
  const isChanged = takeFacts(row, facts)
  suggestAnew(row, turn)
  deriveAnew(row, facts, isChanged, turn)
  // A parent that is discovered together with it, or soon, is known after this commit.
  if (isNewParent && parentEnv === undefined && facts.parentUid !== '')
    turn.emit(tagLook, { cloudAccountId, resourceUid })
  if (!show(row, turn) && isChanged) allocateAnew(turn)
}

/** Stores the facts; returns whether they have changed. */
function takeFacts(row: ResourceTagging, facts: TagFacts): boolean {
  const factsHash = hashOf(facts)
  if (factsHash === row.factsHash) return false
  const signals = signalsOf(facts)
  const evidenceEnv = signals.tag?.env ?? signals.name?.env ?? ''
  const { parentUid } = facts
  Object.assign(row, { signals, evidenceEnv, parentUid, neighbourhood: neighbourhoodOf(facts), factsHash })
  return true
}

function deriveAnew(row: ResourceTagging, facts: TagFacts, isChanged: boolean, turn: Turn<TaggingNeeds>): void {
  const { policyVersion, rules } = turn.needs.organization(turn.address.orgId)
  if (!isChanged && row.policyVersion === policyVersion) return
  takeDerived(row, derive(selectable(facts, turn.address.place), rules))
  row.policyVersion = policyVersion
}

/** Undefined if the parent does not exist. */
const parentOf = (parentUid: string, turn: Turn<TaggingNeeds>): Environment | '' | undefined =>
  turn.needs.neighbours.parentEnv(turn.address.orgId, turn.address.place, parentUid)

/** The environment of the neighbourhood now; the former one if this batch has not read it. */
function topologyOf(row: ResourceTagging, neighbourhood: string, turn: Turn<TaggingNeeds>): Environment | '' {
  if (neighbourhood === '') return ''
  const { orgId, place: account, key: uid } = turn.address
  const { neighbours } = turn.needs
  const before = row.neighbourhood === neighbourhood ? row.topologyEnv : ''
  return neighbours.topologyEnv({ orgId, account, uid }, neighbourhood) ?? before
}

/** Evaluates again, since parent or neighbours may have changed. */
function look(row: ResourceTagging, turn: Turn<TaggingNeeds>): void {
  if (row.deletedAt || row.observedAt.getTime() === 0) return
  row.parentEnv = parentOf(row.parentUid, turn) ?? row.parentEnv
  row.topologyEnv = topologyOf(row, row.neighbourhood, turn)
  suggestAnew(row, turn)
}

function suggestAnew(row: ResourceTagging, turn: Turn<TaggingNeeds>): void {
  const { signals, parentEnv, topologyEnv } = row
  const { teamNames } = turn.needs.organization(turn.address.orgId)
  const teamName = signals.prefix === undefined ? undefined : teamNames.get(signals.prefix)
  suggest(row, predict(signals, { parentEnv, topologyEnv, teamName }), turn.now)
}

/** Publishes the effective tags if they differ from the last published ones; returns whether they did. */
function show(row: ResourceTagging, turn: Turn<TaggingNeeds>): boolean {
  if (row.deletedAt) return false
  const auto = autoTags(row)
  const isSmart = !sameData(row.accepted, row.shownSmart)
  const isAuto = !sameData(auto, row.shownAuto)
  settleEnv(acceptedEnv(row.shownSmart, row.shownAuto), acceptedEnv(row.accepted, auto), turn)
  if (isSmart) appendTags('smart', (row.shownSmart = { ...row.accepted }), turn)
  if (isAuto) appendTags('auto', (row.shownAuto = { ...auto }), turn)
  if (isSmart || isAuto) allocateAnew(turn)
  return isSmart || isAuto
}

/** Reports the accepted environment, which rules use besides the cloud's own tags. */
function settleEnv(before: string, env: Environment | '', turn: Turn<TaggingNeeds>): void {
  const { place: cloudAccountId, key: resourceUid } = turn.address
  if (before !== env) turn.emit(envSettled, { cloudAccountId, resourceUid, env })
}

function appendTags(source: 'smart' | 'auto', tags: Readonly<Record<string, string>>, turn: Turn<TaggingNeeds>): void {
  const { orgId: org_id, key: resource_uid } = turn.address
  turn.append(acceptedTag, { org_id, resource_uid, source, tags: { ...tags } }, turn.now)
}

/** Marks the resource for rules that assign teams, which may depend on what has changed. */
function allocateAnew(turn: Turn<TaggingNeeds>): void {
  const { orgId, place, key } = turn.address
  if (turn.needs.organization(orgId).isAllocated) turn.mark(allocations, allocationKey(place, key))
}

const note = (details: object, turn: Turn<TaggingNeeds>): void =>
  appendChange('configuration_change', details, { at: turn.now, by: 'user' }, turn)
