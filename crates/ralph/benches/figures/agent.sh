case $RALPH_ROLE in
implement) echo "Issue $RALPH_ISSUE" > "docs-$RALPH_ISSUE.md" && git add . && git commit --quiet --message "Issue $RALPH_ISSUE" ;;
plan) printf '# Intent\nOne file.\n# Risk\nNone.\n# Reuse\nNothing.\n{"decision":"proceed","confidence":"high","escalation_reason":null}\n' ;;
plan_review) echo 'RALPH_PLAN_REVIEW: {"status":"pass","reason":"it is one file"}' ;;
*) echo 'RALPH_REVIEW: {"status":"pass","reason":"it is one file"}' ;;
esac
