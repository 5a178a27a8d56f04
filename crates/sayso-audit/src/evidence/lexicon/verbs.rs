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
         describe* inspect look* lookup* see tell report* browse compare diff* examine explore \
         analyse analyze audit* monitor* watch* track* verify validate lint* preview* explain \
         summarise summarize estimate* discover detect enumerate identify peek* poll* probe* scan* \
         sniff trace* tail* head* dig ping* lists collect gather extract* display* print* dump* grep \
         glob cat* stat* whoami traverse review* assess measure* profile* recommend suggest match* \
         observe download* access* determine recall* give answer* outline* surface* infer* highlight* \
         rank* locate obtain expose provide predict* forecast* test* diagnose capture* screenshot* \
         snapshot* wait*",
    ),
    (
        Compute,
        "calculate compute convert decode encode parse format* render translate transform* tokenize \
         tokenise hash* generate simulate* evaluate eval build* take make help* compile* plan* think \
         classify visualize visualise plot* draw sketch* encrypt decrypt sum* crop* resize sample* \
         roll* pick* guess* draft* design* compose interpret normalize normalise sort* filter* group* \
         aggregate prepare",
    ),
    (
        Add,
        "create add append insert log* record* submit register file* comment* clone* fork* duplicate* \
         schedule* book* subscribe enqueue queue* reserve* prepend push* post* raise* note* annotate \
         attach provision spawn open initialize initialise init allocate instantiate mint* grant* \
         enrol enroll track* upvote* vote* rate* contribute establish issue* propose request* \
         introduce nest follow install plant remember define",
    ),
    (
        Bring,
        "import* upload* copy* ingest load* pull* merge* combine migrate apply sync synchronise \
         synchronize mirror* replicate seed* index* reindex unpack unzip zip checkout* commit* \
         transcode crawl* refresh* ensure",
    ),
    (
        Send,
        "send email* mail* notify message* invite* call* dial text* tweet* reply* respond forward* \
         broadcast* share* deliver announce alert* page* contact* remind escalate dm fax* sms \
         whisper*",
    ),
    (
        Publish,
        "publish release* deploy* promote rollout ship* unpublish",
    ),
    (
        Pay,
        "charge* pay refund* purchase* buy order* bill* payout* remit tip* donate sell trade* \
         invoice* withdraw deposit* credit* debit* settle",
    ),
    (
        Update,
        "update* edit* set* modify change* rename patch* configure adjust assign alter amend revise \
         correct* tune* retitle relabel enable tag* untag label* limit* reassign reorder resequence \
         tweak* manipulate mutate fill* transition* refactor reschedule rewrite fix* put* unset turn* \
         lower customise customize unassign optimize optimise redact* mask* scale* relocate",
    ),
    (
        Replace,
        "overwrite replace reset* restore* revert rollback* swap* override* upsert rebuild regenerate \
         reinitialise reinitialize reinstall rebase* recreate reformat undo* redo* substitute clobber \
         reimport repopulate",
    ),
    (
        Step,
        "toggle* increment* decrement* rotate bump* flip* advance* cycle* shuffle* nudge* press \
         click* invert reroll skip* accumulate",
    ),
    (Move, "move* transfer* shift* reparent"),
    (
        Remove,
        "delete remove purge* wipe* drop* truncate erase clear destroy revoke uninstall discard \
         expunge prune empty eliminate deprovision scrub strip* evict flush* delist detach unlink \
         obliterate shred* trash* anonymise anonymize forget scrap* deregister unregister cull* \
         clean* cleanup* cut* kill* expire evacuate vacuum*",
    ),
    (
        End,
        "archive* cancel stop* terminate* disable deactivate suspend pause* abort close* halt quit \
         end* finalise finalize unsubscribe unfollow unshare void ban* block* decline reject deny \
         kick* mute* lock* freeze retire hide unpin unstar quarantine isolate",
    ),
    (
        Control,
        "start* restart* reboot* resume* boot* launch* trigger* fire* wake* power* begin warm* \
         shutdown* unban unblock unlock unmute unarchive reopen undelete reactivate retry* rerun* \
         requeue initiate continue spin* engage",
    ),
    (
        Run,
        "run* execute exec invoke perform process* dispatch* operate do handle* use* interact drive*",
    ),
    (
        Select,
        "switch* select choose activate focus* impersonate navigate go enter",
    ),
    (
        Connect,
        "connect login* authenticate authorise authorize signin sign* reconnect mount* bind* pair* \
         join* link*",
    ),
    (
        Disconnect,
        "disconnect logout* signout unmount unbind unpair leave hang* eject",
    ),
    (
        Claim,
        "claim* lease* acquire dequeue pop* consume drain* hand* hold* seize grab",
    ),
    (
        Mark,
        "mark* ack acknowledge dismiss* flag* resolve star* pin* complete* finish approve accept \
         confirm favourite* favorite* bookmark* like* react* endorse tick* snooze* triage* attend \
         unflag unmark rsvp admit",
    ),
    (
        Save,
        "save* write* store* export* persist backup* stash* cache* serialise serialize memorize \
         memorise screencast* pipe*",
    ),
    (
        Manage,
        "manage administer maintain govern crud control* curate organise organize",
    ),
    (
        Interact,
        "tap* type* drag* hover* scroll* swipe* key* touch*",
    ),
];
