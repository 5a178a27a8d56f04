//! The verbs, by class. A star marks a word whose plural or base is as often a noun.
//!
//! The commoner meaning comes first: a verb listed twice keeps its first class.

use super::super::act::Act;
use super::super::act::*;

/// Verbs as base forms.
pub(super) const VERBS: &[(Act, &str)] = &[
    (
        Read,
        "get list* fetch find search* show* return* read* query* retrieve view* check* count* \
         describe* inspect lookup* see tell report* browse compare diff* examine explore analyse \
         analyze audit* monitor* watch* track* verify validate lint* preview* explain summarise \
         summarize estimate* discover detect enumerate identify peek* poll* probe* scan* sniff trace* \
         tail* head* dig ping* lists collect gather extract* display* print* dump* grep glob cat* \
         stat* whoami traverse review* assess measure* profile* recommend suggest match* observe \
         download* access* determine recall* give answer* outline* surface* infer* highlight* \
         rank* locate obtain expose provide predict* forecast* test* diagnose capture* screenshot* \
         snapshot* wait* crawl* quote* tally* total* consult cite inquire ask* weigh survey* \
         crawl scrape say state* spell visit* sum* study* scout* relate collate pull* load* tabulate \
         itemise itemize chart* graph* walk* skim spot* sense* score* grade* transcribe caption* \
         expand map* echo* demonstrate illustrate clarify debug troubleshoot investigate contrast \
         correlate cluster* embed* benchmark* reconcile look* contain supply decipher skim eye* deduce ascertain gauge* \
         paraphrase synthesise synthesize abstract* tour* sight*",
    ),
    (
        Compute,
        "calculate compute convert decode encode parse format* render translate transform* tokenize \
         tokenise hash* simulate* evaluate eval classify visualize visualise plot* encrypt decrypt \
         sum* crop* resize sample* interpret normalize normalise sort* filter* group* aggregate combine mean* \
         solve factor* compress minify beautify prettify slugify escape unescape pluralise pluralize \
         reverse* decompress",
    ),
    (
        Make,
        "generate build* take make help* compile* plan* think draw sketch* roll* pick* guess* draft* \
         design* compose prepare produce",
    ),
    (
        Add,
        "create add append insert log* record* submit register file* comment* clone* fork* duplicate* \
         schedule* book* subscribe enqueue queue* reserve* prepend post* raise* note* annotate \
         provision spawn open initialize initialise init allocate instantiate mint* grant* enrol \
         enroll track* upvote* vote* rate* contribute issue* propose request* introduce \
         nest follow remember define place* lodge bid* stage* jot stack* offer* back* award* \
         earmark* hire* onboard author* clock* plant* attach spin* accrue log jot scribble affix incorporate materialise materialize \
         prescribe pencil nominate appoint elect induct enlist matriculate \
         christen baptise pledge sponsor*  recruit*          bootstrap scaffold erect convene pledge",
    ),
    (
        Bring,
        "import* push* upload* copy* ingest merge* migrate sync synchronise synchronize mirror* replicate \
         install backfill rehost restock replenish refill*  seed* index* reindex unpack unzip zip commit* transcode refresh* ensure",
    ),
    (
        Send,
        "send email* mail* notify message* invite* call* dial text* tweet* reply* respond forward* \
         broadcast* share* deliver announce alert* page* contact* remind escalate dm fax* sms \
         whisper* ring* phone* telephone* relay* transmit pitch* greet poke* nag* nudge* chase* prompt* \
         warn* inform thank congratulate syndicate crosspost blast* resend redeliver",
    ),
    (
        Publish,
        "publish release* deploy* promote rollout ship* unpublish",
    ),
    (
        Pay,
        "charge* pay refund* purchase* buy order* bill* payout* remit tip* donate sell trade* \
         invoice* deposit* credit* debit* settle reimburse wire* disburse compensate rent* topup repay stake* unstake withdraw auction* remunerate redeem",
    ),
    (
        Update,
        "update* edit* set* modify change* rename patch* configure adjust alter amend revise correct* \
         tune* retitle tweak* manipulate mutate rewrite unset redact* mask* recolor recolour repaint \
         renumber rework* unmerge split* recategorise recategorize reprice price* discount* refine \
         tighten loosen reclassify retarget shrink* enlarge",
    ),
    (
        Adjust,
        "enable prolong assign reassign unassign apply allow restrict permit* renew extend* turn* tag* untag* \
         label* relabel reorder resequence rearrange fix* postpone protect unprotect upgrade* \
         downgrade* optimize optimise lower limit* throttle* cap* scale* repair* autofix heal* \
         harden transition* reschedule refactor cherrypick unstage stamp* populate prefill demote dim \
         brighten widen narrow* emulate reauthorize reauthorise customise customize rebalance shorten \
         lengthen heat* cool* warm* chill preheat defrost calibrate recalibrate align level* tilt balance* \
         ventilate illuminate deflate damp trim* crop soften blur* straighten raise",
    ),
    (
        Replace,
        "overwrite replace reset* restore* revert rollback* swap* override* upsert rebuild regenerate \
         reinitialise reinitialize reinstall rebase* recreate reformat substitute clobber \
         reimport repopulate flash* squash reflash reimage supersede supplant displace overlay*",
    ),
    (
        Step,
        "toggle* increment* decrement* rotate bump* flip* advance* cycle* shuffle* \
         invert reroll skip* accumulate increase* decrease* rewind* step* jog* tilt* pan* undo redo",
    ),
    (Move, "move* transfer* shift* reparent relocate"),
    (
        Remove,
        "delete remove purge* wipe* drop* truncate erase clear destroy revoke uninstall discard \
         expunge prune empty eliminate deprovision scrub strip* evict flush* delist detach unlink \
         obliterate shred* trash* anonymise anonymize forget scrap* deregister unregister cull* \
         clean* cleanup* evacuate vacuum* retract unsend nuke reap* shed* dispose decommission raze \
         dismantle nullify zero* blank* deduplicate dedupe compact* expel oust undeploy vacate \
         sack uproot jettison unenroll unenrol ungroup disown shutter bulldoze demolish annul pseudonymise pseudonymize reclaim eradicate expurgate liquidate kill* \
         invalidate excise",
    ),
    (
        End,
        "archive* cancel stop* terminate* disable deactivate suspend pause* abort close* halt quit \
         end* finalise finalize unsubscribe unfollow unshare void ban* block* decline reject deny \
         mute* lock* freeze retire hide unpin unstar quarantine isolate withdraw kick* wind* sunset* \
         conclude deauthorize deauthorise cordon disarm unapprove uncomplete expire*",
    ),
    (
        Control,
        "start* resume* boot* wake* power* begin warm* shutdown* unban unblock unlock unmute \
         unarchive reopen undelete reactivate continue engage arm* unfreeze steer* play* recover reinstate unhide salvage uncordon bring hover* scroll* swipe* position* home* \
         park* dock* ignite ramp* reload",
    ),
    (
        Trigger,
        "trigger* fire* launch* dispense squirt honk beep* buzz* instruct water* irrigate sprinkle spray* inject brew bake cook* pour \
         squeeze drill* weld mill engrave etch paint* vaccinate fumigate mow sweep* mop pump* inflate \
         sow harvest* fertilise fertilize feed* shoot* throw* toss* deal* tow haul ferry fly drive* ride* \
         detonate spark* vent* discharge rinse wash* knock* poke strike* blink* retry* rerun* reboot* restart* initiate kick* rollforward replay* \
         resubmit requeue reprocess",
    ),
    (
        Run,
        "run* accept execute exec invoke perform process* dispatch* operate do handle* use* interact drive*",
    ),
    (
        Select,
        "switch* act* select choose activate focus* impersonate navigate go enter point* target* checkout*",
    ),
    (
        Connect,
        "connect establish login* authenticate authorise authorize signin sign* reconnect mount* bind* pair* \
         join* link*",
    ),
    (
        Disconnect,
        "disconnect logout* signout unmount unbind unpair leave hang* eject",
    ),
    (
        Claim,
        "claim* lease* acquire dequeue pop* consume drain* hand* hold* seize grab borrow withhold \
         allot",
    ),
    (
        Mark,
        "mark* ack acknowledge dismiss* flag* resolve star* pin* complete* finish approve favourite* \
         favorite* bookmark* like* react* endorse tick* snooze* triage* attend unflag unmark rsvp \
         admit confirm",
    ),
    (
        Save,
        "save* write* store* export* persist backup* stash* cache* serialise serialize memorize \
         memorise screencast* pipe* put*",
    ),
    (
        Manage,
        "manage administer maintain govern crud control* curate organise organize",
    ),
    (
        Interact,
        "tap* type* drag* key* touch* click* press* doubleclick fill* pinch*",
    ),
];
